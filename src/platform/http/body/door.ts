import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { AppError } from '../../../kernel/app-error';
import { callerOf } from '../limits/caller-address';
import { type JudgeName, wishesOf } from '../routes/route';
import { RequestSlot } from '../request-slot';

/** What stands behind a call before its body is here. */
export interface Standing {
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
export type Judge = (request: FastifyRequest) => Promise<Standing>;

/**
 * Credential first: who wants to send more than a stranger may is looked at before the rest of the body is taken in.
 * Small bodies, which is nearly all of them, are never asked about.
 */
@Injectable()
export class Door {
  private readonly judges = new Map<JudgeName, Judge>();
  private readonly standings = new RequestSlot<Promise<Standing>>();

  judge(name: JudgeName, judge: Judge): void {
    this.judges.set(name, judge);
  }

  /** Asked once per call, however many of its parts want to know. */
  standingOf(request: FastifyRequest): Promise<Standing> {
    let standing = this.standings.get(request);
    if (standing === undefined) {
      standing = this.ask(request);
      this.standings.set(request, standing);
    }
    return standing;
  }

  private ask(request: FastifyRequest): Promise<Standing> {
    const { paid = false, judge = paid ? 'payer' : undefined } = wishesOf(request);
    return this.judgementOf(judge, request);
  }

  /** What one of the judges says. */
  async judgementOf(name: JudgeName | undefined, request: FastifyRequest): Promise<Standing> {
    const stranger = { isProven: false, mediaBytesMax: 0, owner: callerOf(request) };
    const found = name === undefined ? undefined : this.judges.get(name);
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
