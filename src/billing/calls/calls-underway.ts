import { setTimeout as pause } from 'node:timers/promises';

import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { newId } from '../../kernel/ids';
import type { Soon } from '../../kernel/soon';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { Drain } from '../../platform/http/drain';
import { CallsUnderwayRepository } from '../charges/calls-underway.repository';
import { IdempotencyInFlight } from '../charges/charges.errors';
import type { Payer } from '../rails/payer';

const LOOK_EVERY_MS = 250;

/** As much of a call as tells whether it is the same as another. */
interface UnderwayCall {
  readonly request: FastifyRequest;
  readonly fingerprint: Buffer;
  readonly payer?: Payer;
}

/** Stock SDKs announce a retry that they make by themselves; the count is 0 for a first call. */
export const isAnnouncedRetry = ({ request }: Pick<UnderwayCall, 'request'>): boolean =>
  /^[1-9]\d{0,3}$/.test(String(request.headers['x-stainless-retry-count'] ?? ''));

/**
 * Knows the calls that prepare and have no charge yet, over all processes. A retry that announces itself waits until such
 * a call has its charge or has failed, so that both are never charged. Only calls whose preparation takes time are
 * entered: others hold their price within milliseconds of their arrival, before any client can have tried again.
 */
@Injectable()
export class CallsUnderway {
  private readonly logger = new Logger(CallsUnderway.name);
  private readonly ids = new WeakMap<object, string>();

  constructor(
    private readonly rows: CallsUnderwayRepository,
    private readonly drain: Drain,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Enters a call. An announced retry waits for the equal calls before it: `waitedSince` is the database's time of its own
   * entry then, because their charges are younger.
   */
  async enter(call: UnderwayCall): Promise<{ readonly waitedSince?: Date }> {
    const { payer, fingerprint } = call;
    if (payer === undefined) return {};
    const caller = payer.key?.isDelegated === true ? `${payer.id}/${payer.key.id}` : payer.id;
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

  /** Whether the call may hold its price: not where a repetition has taken it for dead and runs in its place. */
  requirePlace(call: UnderwayCall): Soon<void> {
    const id = this.ids.get(call);
    return id === undefined ? undefined : this.renew(id);
  }

  /** Removes a call that has its charge, or has failed. Any call may be named, entered or not. */
  leave(call: UnderwayCall): Soon<void> {
    const id = this.ids.get(call);
    if (id === undefined) return undefined;
    this.ids.delete(call);
    return this.rows
      .leave(id)
      .catch((error: unknown) =>
        this.logger.warn({ err: error }, 'A call stays listed as underway until its lease runs out.'),
      );
  }

  private async renew(id: string): Promise<void> {
    if (!(await this.rows.renew(id))) throw new IdempotencyInFlight();
  }

  private async untilGone(before: readonly string[], id: string): Promise<void> {
    const until = Date.now() + this.settings.media.syncSeconds * 1_000;
    let left = before;
    while (left.length > 0) {
      if (Date.now() >= until || this.drain.draining) throw new IdempotencyInFlight();
      await pause(LOOK_EVERY_MS);
      left = await this.rows.alive(left, id);
    }
  }
}
