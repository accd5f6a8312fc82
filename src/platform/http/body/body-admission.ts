import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { AppError } from '../../../kernel/app-error';
import { lateCallOf } from '../inner-calls';
import { callerOf } from '../limits/caller-address';
import { type AdmissionCheckName, routeOptionsOf } from '../routes/route';
import { RequestSlot } from '../request-slot';

/** The result of proving a caller before the body is received. */
export interface Admission {
  /** Whether the caller has a valid credential and money. */
  readonly isProven: boolean;
  /** The reason if not. The caller gets it if the body is larger than an unproven caller's may be. */
  readonly refusal?: AppError;
  /** The largest medium of the body that is stored; 0 for none. */
  readonly mediaBytesMax: number;
  /** The owner under which the memory of the body is counted. */
  readonly owner: string;
}

/** Proves a caller from its headers alone. After an `AppError` the caller counts as unproven. */
export type AdmissionCheck = (request: FastifyRequest) => Promise<Admission>;

/**
 * Checks the credential first: a caller with a large body is proven before the rest of the body is received. Small
 * bodies, which are nearly all, need no check.
 */
@Injectable()
export class BodyAdmission {
  private readonly checks = new Map<AdmissionCheckName, AdmissionCheck>();
  private readonly admissions = new RequestSlot<Promise<Admission>>();

  register(name: AdmissionCheckName, check: AdmissionCheck): void {
    this.checks.set(name, check);
  }

  /** The check runs once for each call, however often its result is needed. */
  of(request: FastifyRequest): Promise<Admission> {
    let admission = this.admissions.get(request);
    if (admission === undefined) {
      admission = this.ask(request);
      this.admissions.set(request, admission);
    }
    return admission;
  }

  private ask(request: FastifyRequest): Promise<Admission> {
    // A call of a batch needs no check: its money is reserved, and this service made its body.
    if (lateCallOf(request) !== undefined)
      return Promise.resolve({ isProven: true, mediaBytesMax: Infinity, owner: callerOf(request) });
    const { provesCaller = false, admission = provesCaller ? 'payer' : undefined } = routeOptionsOf(request);
    return this.checkBy(admission, request);
  }

  /** The result of one of the checks. */
  async checkBy(name: AdmissionCheckName | undefined, request: FastifyRequest): Promise<Admission> {
    const stranger = { isProven: false, mediaBytesMax: 0, owner: callerOf(request) };
    const found = name === undefined ? undefined : this.checks.get(name);
    if (found === undefined) {
      return stranger;
    }
    try {
      return await found(request);
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal;
      return { ...stranger, refusal };
    }
  }
}
