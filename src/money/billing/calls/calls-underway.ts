import { setTimeout as pause } from 'node:timers/promises';

import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { newId } from '#kernel/ids';
import { DatabaseClock } from '#platform/database/database-clock';
import { declarePageAccess } from '#platform/http/answers/browser-headers';
import { Drain } from '#platform/http/drain';
import type { SameCall } from '../charges/charge';
import { CallsUnderwayRepository } from '../charges/calls-underway.repository';
import { IdempotencyInFlight } from '../charges/repeated-call.errors';
import type { Payer } from '../rails/payer';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** The headers that OpenAI's own client adds to each request. It works in a page only if the page may send all of them. */
const STAINLESS = 'arch helper-method lang os package-version retry-count runtime runtime-version timeout';
declarePageAccess({ headers: STAINLESS.split(' ').map((name) => `x-stainless-${name}`) });

const CHECK_EVERY_MS = 250;

/** The fields that identify equal calls. */
interface UnderwayCall {
  readonly request: FastifyRequest;
  readonly fingerprint: Buffer;
  readonly payer?: Payer;
}

/** A call of a delegated key never equals a call of the key's owner. */
const callerOf = ({ id, key }: Payer): string => (key?.isDelegated === true ? `${id}/${key.id}` : id);

/** Stock SDKs announce their retries in a header; a first call has the count 0. */
export const isAnnouncedRetry = ({ request }: Pick<UnderwayCall, 'request'>): boolean =>
  /^[1-9]\d{0,3}$/.test(String(request.headers['x-stainless-retry-count'] ?? ''));

/**
 * Lists the calls, in all processes, that prepare and have no charge yet. An announced retry waits until the earlier
 * call has its charge or has failed, so the service charges only one of the two calls. Only a call with slow
 * preparation gets an entry, because other calls hold their price within milliseconds. If a call without an entry
 * stalls, its hold finds the entry of its retry (the function `call_stays_one` in the migrations).
 */
@Injectable()
export class CallsUnderway {
  private readonly logger = new Logger(CallsUnderway.name);
  private readonly ids = new WeakMap<object, string>();

  constructor(
    private readonly rows: CallsUnderwayRepository,
    private readonly drain: Drain,
    private readonly clock: DatabaseClock,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /**
   * Enters a call. An announced retry waits for the equal calls before it. If the retry waited, `waitedSince` is the
   * database's time of its entry. The charges of the earlier calls are younger than `waitedSince`.
   */
  async enter(call: UnderwayCall): Promise<{ readonly waitedSince?: Date }> {
    const { payer, fingerprint } = call;
    if (payer === undefined) return {};
    const caller = callerOf(payer);
    const id = newId('call');
    this.ids.set(call, id);
    if (!isAnnouncedRetry(call)) {
      await this.rows.enter(id, caller, fingerprint);
      return {};
    }
    const { before, since } = await this.rows.enterAfter(id, caller, fingerprint);
    await this.untilGone(before, id);
    return before.length > 0 ? { waitedSince: since } : {};
  }

  /**
   * Returns the values by which Postgres compares the hold of a call without an entry with holds of equal calls. Enters
   * the call if it is an announced retry.
   */
  async sameCall(call: UnderwayCall & { readonly reply: FastifyReply }): Promise<SameCall | undefined> {
    const { payer, fingerprint, reply } = call;
    if (payer === undefined || this.ids.has(call)) return undefined;
    const same = { caller: callerOf(payer), arrivedAt: this.clock.ago(reply.elapsedTime) };
    return isAnnouncedRetry(call) ? this.enterRetry(same, fingerprint) : same;
  }

  /**
   * Throws if a repetition has replaced this call because its lease expired. The replaced call must not hold its price.
   */
  async requireEntry(call: UnderwayCall): Promise<void> {
    const id = this.ids.get(call);
    if (id !== undefined && !(await this.rows.renew(id))) throw new IdempotencyInFlight();
  }

  /** Removes the entry of a call that has its charge or has failed. Does nothing for a call without an entry. */
  async leave(call: UnderwayCall): Promise<void> {
    const id = this.ids.get(call);
    if (id === undefined) return;
    this.ids.delete(call);
    await this.rows
      .leave(id)
      .catch((error: unknown) =>
        this.logger.warn({ err: error }, 'A call stays listed as underway until its lease runs out.'),
      );
  }

  private async enterRetry(same: SameCall, fingerprint: Buffer): Promise<SameCall> {
    const retryId = newId('call');
    await this.rows.enterRetry(retryId, same.caller, fingerprint);
    return { ...same, retryId };
  }

  private async untilGone(before: readonly string[], id: string): Promise<void> {
    const until = Date.now() + this.settings.http.syncSeconds * 1_000;
    let left = before;
    while (left.length > 0) {
      if (Date.now() >= until || this.drain.draining) throw new IdempotencyInFlight();
      await pause(CHECK_EVERY_MS);
      left = await this.rows.alive(left, id);
    }
  }
}
