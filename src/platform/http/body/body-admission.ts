import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { AppError } from '#kernel/app-error';
import { getOrMake } from '#kernel/maps';
import { lateCallOf } from '../inner-calls';
import { callerOf } from '../limits/caller-address';
import { type AdmissionChecks, routeOptionsOf } from '../routes/route';
import { RequestSlot } from '../request-slot';

type AdmissionCheckName = keyof AdmissionChecks;

/** The result of proving a caller before the body is received. */
export interface Admission {
  /** Whether the caller has a valid credential and money. */
  readonly isProven: boolean;
  /**
   * The reason if the caller is unproven. The caller gets it as an error if the body exceeds the limit for unproven
   * callers.
   */
  readonly refusal?: AppError;
  /** The size of the largest medium that the service stores for this caller; 0 for none. */
  readonly mediaBytesMax: number;
  /** The owner under which the memory of the body is counted. */
  readonly owner: string;
}

/** Proves a caller by the headers alone. If it throws an `AppError`, the caller counts as unproven. */
export type AdmissionCheck = (request: FastifyRequest) => Promise<Admission>;

/**
 * Proves the caller of a large body before the service receives the rest of that body. Small bodies, which are nearly
 * all, need no check.
 */
@Injectable()
export class BodyAdmission {
  private readonly checks = new Map<AdmissionCheckName, AdmissionCheck>();
  private standard: AdmissionCheckName | undefined;
  private readonly admissions = new RequestSlot<Promise<Admission>>();

  /** `isDefault` for the check of routes that prove their caller and name no check. */
  register(name: AdmissionCheckName, check: AdmissionCheck, { isDefault = false } = {}): void {
    this.checks.set(name, check);
    if (isDefault) this.standard = name;
  }

  /** The check runs once for each call, even if several parts of the code need its result. */
  of(request: FastifyRequest): Promise<Admission> {
    return getOrMake(this.admissions, request, () => this.ask(request));
  }

  private ask(request: FastifyRequest): Promise<Admission> {
    // A late call needs no check: its money is reserved, and this service made its body.
    if (lateCallOf(request) !== undefined)
      return Promise.resolve({ isProven: true, mediaBytesMax: Infinity, owner: callerOf(request) });
    const { provesCaller = false, admission = provesCaller ? this.standard : undefined } =
      routeOptionsOf(request);
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
