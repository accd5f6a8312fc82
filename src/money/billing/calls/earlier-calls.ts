import { Inject, Injectable } from '@nestjs/common';

import { Drain } from '#platform/http/drain';
import { idempotencyKeyOf } from '#platform/http/routes/idempotency-key';
import type { SameCall } from '../charges/charge';
import type { Charge } from '../charges/charge.entity';
import { ChargeNotifier } from '../charges/charge-notifier';
import { ChargeRepository } from '../charges/charge.repository';
import type { Payer } from '../rails/payer';
import { Rails } from '../rails/rails';
import { AnswerVault } from './answer-vault';
import { IdempotencyInFlight, ReplayExpired } from '../charges/repeated-call.errors';
import { SettlementPending } from '../charges/in-doubt.errors';
import { CallsUnderway, isAnnouncedRetry } from './calls-underway';
import type { PaidCall } from './paid-call';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import { IdempotencyMismatch } from '#platform/http/routes/routes.errors';

/** A broken connection loses notifications, so a waiting call also reads the charge at this interval. */
const READ_AGAIN_MS = 1_000;

export interface EarlierAnswer {
  readonly charge: Charge;
  readonly status: number;
  /** Undefined if no answer was stored: then the route reads the result of the charge again. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** The caller's idempotency key, if the call has one. */
export const callerKeyOf = ({ request, payer }: Pick<PaidCall, 'request' | 'payer'>): string | undefined => {
  const mark = idempotencyKeyOf(request);
  if (mark === undefined) return undefined;
  // A delegated key does not see calls of its owner, so the key's id is a prefix of its idempotency keys. The second
  // colon prevents an owner from writing the same prefix.
  if (payer?.key?.isDelegated === true) return `key:${payer.key.id}:${mark}`;
  return mark.startsWith('key_') ? `key::${mark}` : `key:${mark}`;
};

/** Finds an earlier equal call, waits until the earlier call ends, and returns its answer. */
@Injectable()
export class EarlierCalls {
  constructor(
    private readonly charges: ChargeRepository,
    private readonly notifier: ChargeNotifier,
    private readonly rails: Rails,
    private readonly vault: AnswerVault,
    private readonly drain: Drain,
    private readonly underway: CallsUnderway,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /** The answer of the equal call, or undefined if this call is the first and must run. */
  async answerTo(call: PaidCall): Promise<EarlierAnswer | undefined> {
    const { payer } = call;
    if (payer === undefined) return undefined;
    const id = await this.rails.of(payer.rail).earlier(call, payer);
    return this.answerFrom(call, await (id === undefined ? this.marked(call, payer) : this.charges.find(id)));
  }

  /**
   * Enters a call with slow preparation, so that its retry finds the entry. An announced retry waits for the equal call
   * and returns the answer of the equal call. A call with an idempotency key or an on-chain payment needs no entry:
   * only one call per key or payment can hold a price.
   */
  async enter(call: PaidCall): Promise<EarlierAnswer | undefined> {
    const { payer } = call;
    if (payer === undefined || this.isKeptApart(call)) return undefined;
    const { waitedSince } = await this.underway.enter(call);
    if (waitedSince === undefined) return this.answerIfRetry(call);
    const { id, key } = payer;
    return this.answerFrom(call, await this.charges.newestSince(waitedSince, id, call.fingerprint, key));
  }

  /**
   * Returns the values by which Postgres prevents a charge for both a call and its retry. Undefined if an idempotency
   * key, a payment or an entry already prevents the second charge.
   */
  async sameCall(call: PaidCall): Promise<SameCall | undefined> {
    return this.isKeptApart(call) ? undefined : this.underway.sameCall(call);
  }

  /** Whether an idempotency key or a payment already prevents a second hold. */
  private isKeptApart(call: PaidCall): boolean {
    const { payer } = call;
    return payer === undefined || !this.rails.of(payer.rail).isPrepaid || callerKeyOf(call) !== undefined;
  }

  /**
   * Searches for charges again, because the earlier call may have got its charge and removed its entry after the first
   * search.
   */
  private async answerIfRetry(call: PaidCall): Promise<EarlierAnswer | undefined> {
    return isAnnouncedRetry(call) ? this.answerTo(call) : undefined;
  }

  private async marked(call: PaidCall, payer: Payer): Promise<Charge | undefined> {
    const { fingerprint } = call;
    const mark = callerKeyOf(call);
    if (mark !== undefined) return this.byMark(payer.id, mark, fingerprint);
    return isAnnouncedRetry(call)
      ? this.charges.newestUnanswered(payer.id, fingerprint, payer.key)
      : undefined;
  }

  private async byMark(payer: string, mark: string, fingerprint: Buffer): Promise<Charge | undefined> {
    const charge = await this.charges.byMark(payer, mark);
    if (charge !== undefined && !charge.fingerprint.equals(fingerprint)) throw new IdempotencyMismatch();
    return charge;
  }

  private async answerFrom(call: PaidCall, first: Charge | undefined): Promise<EarlierAnswer | undefined> {
    if (first === undefined) return undefined;
    // A repetition does not wait for a stream: its caller would receive nothing until the first stream has ended.
    const waits = call.route.streams?.(call.body, call.request) !== true;
    const ended = await this.untilDecided(first, waits);
    return ended && this.answerOf(call, ended);
  }

  /** Undefined if the first charge was released: this call may then run. */
  private async untilDecided(first: Charge, waits: boolean): Promise<Charge | undefined> {
    const until = Date.now() + this.settings.http.syncSeconds * 1_000;
    let charge: Charge | undefined = first;
    while (charge !== undefined && (charge.state === 'held' || charge.state === 'settling')) {
      if (!waits || Date.now() >= until || this.drain.draining) {
        throw charge.state === 'settling'
          ? new SettlementPending(charge.id)
          : new IdempotencyInFlight(charge.id);
      }
      await this.notifier.next(charge.id, READ_AGAIN_MS);
      charge = await this.charges.find(charge.id);
    }
    return charge?.state === 'released' ? undefined : charge;
  }

  private async answerOf(call: PaidCall, charge: Charge): Promise<EarlierAnswer> {
    const headers = {
      ...(await this.rails.of(charge.rail).receiptHeaders(charge.id, call.payer, charge.settledAt)),
      'idempotent-replayed': 'true',
      'x-charge-id': charge.id,
      'x-charge-state': charge.state,
      'x-charge-micro': charge.price.toString(),
    };
    const { answer, replaySeconds } = call.route;
    if (answer === 'after-settle') {
      return { charge, status: 200, body: undefined, headers };
    }
    const replay = await this.charges.replay(charge.id);
    if (replay === undefined) {
      const young = Date.now() - charge.createdAt.getTime() < replaySeconds * 1_000;
      if (answer === 'from-job' && young) return { charge, status: 200, body: undefined, headers };
      throw new ReplayExpired(charge.id);
    }
    const body = this.vault.open(charge.payer, charge.fingerprint, replay.sealed);
    return { charge, status: replay.status, body, headers };
  }
}
