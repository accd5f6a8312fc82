import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { AppError } from '../../../kernel/app-error';
import { callerOf } from '../limits/caller-address';
import { type AdmissionCheckName, routeOptionsOf } from '../routes/route';
import { RequestSlot } from '../request-slot';

/** What stands behind a call before its body is here. */
export interface Admission {
  /** Whether its credential is good, and money stands behind it. */
  readonly isProven: boolean;
  /** Why it is not; said when the body is larger than a stranger's may be. */
  readonly refusal?: AppError;
  /** The largest medium that is kept of the body; 0 for none. */
  readonly mediaBytesMax: number;
  /** Who has the room that the body takes. */
  readonly owner: string;
}

/** Says what stands behind a call, from its headers alone. What it throws as an `AppError` makes a stranger of it. */
export type AdmissionCheck = (request: FastifyRequest) => Promise<Admission>;

/**
 * Credential first: who wants to send more than a stranger may is looked at before the rest of the body is taken in.
 * Small bodies, which is nearly all of them, are never asked about.
 */
@Injectable()
export class BodyAdmission {
  private readonly checks = new Map<AdmissionCheckName, AdmissionCheck>();
  private readonly admissions = new RequestSlot<Promise<Admission>>();

  register(name: AdmissionCheckName, check: AdmissionCheck): void {
    this.checks.set(name, check);
  }

  /** Asked once per call, however many of its parts want to know. */
  of(request: FastifyRequest): Promise<Admission> {
    let admission = this.admissions.get(request);
    if (admission === undefined) {
      admission = this.ask(request);
      this.admissions.set(request, admission);
    }
    return admission;
  }

  private ask(request: FastifyRequest): Promise<Admission> {
    const { provesCaller = false, admission = provesCaller ? 'payer' : undefined } = routeOptionsOf(request);
    return this.checkBy(admission, request);
  }

  /** What one of the checks says. */
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
