import { Inject, Injectable, Logger } from '@nestjs/common';

import { type Micro, usdText } from '../../kernel/money';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { DatabaseUnavailable } from '../../platform/database/database.errors';
import { insisting } from '../../platform/database/insisting';
import { IdempotencyMismatch } from '../../platform/http/idempotency-key';
import { Metrics } from '../../platform/telemetry/metrics';
import { AnswerVault } from '../calls/answer-vault';
import {
  IdempotencyInFlight,
  InsufficientFunds,
  KeySpendLimit,
  ReplayExpired,
  SettlementPending,
} from '../calls/calls.errors';
import { LedgerRepository } from '../ledger/ledger.repository';
import type { SettledAnswer } from '../rails/rail';
import type { Charge, ChargeDraft, HoldRefusal } from './charge';
import { ChargeNews } from './charge-news';
import { ChargeRepository } from './charge.repository';
import { LeaseKeeper } from './lease-keeper';

/** As long as other texts are given again. */
const REPLAY_SECONDS = 600;

interface Closed {
  readonly state: 'charged' | 'released';
  /** What the payer has left. */
  readonly left: Micro;
}

/** Charges whose amount is known only at the end: the worst case is set aside, and what was used is taken from it. */
@Injectable()
export class OpenCharges {
  private readonly logger = new Logger(OpenCharges.name);

  constructor(
    private readonly ledger: LedgerRepository,
    private readonly charges: ChargeRepository,
    private readonly leases: LeaseKeeper,
    private readonly news: ChargeNews,
    private readonly vault: AnswerVault,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** A cheap look before anything is done for a call: the hold checks again. */
  async refuseUncovered(draft: ChargeDraft): Promise<void> {
    const balance = await this.ledger.balance(draft.accountId ?? '');
    if (balance < draft.price) throw await this.refusal(draft, 'short');
  }

  /** Answers what is left beside it. From here on somebody must close it or give it back. */
  async open(draft: ChargeDraft): Promise<Micro> {
    const held = await this.ledger.reserve(draft);
    if (!held.ok) {
      throw await this.refusal(draft, held.reason);
    }
    this.leases.keep(draft.id);
    this.metrics.chargeMoved(draft.rail, 'held');
    return held.balance;
  }

  /**
   * Takes what was used, and keeps a whole answer for a repetition; nothing used is given back. `billed` is what the
   * provider has counted, which the reconciliation holds against it. The work is done and its
   * use is known only here, so a short loss of the database is ridden out.
   */
  async close(draft: ChargeDraft, used: Micro, answer?: object, billed?: Micro): Promise<Closed> {
    try {
      const closed = await insisting(() => this.take(draft, used, answer, billed));
      this.metrics.chargeMoved(draft.rail, closed.state);
      return closed;
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? new SettlementPending(draft.id, error) : error;
    } finally {
      this.finished(draft.id);
    }
  }

  /** The work failed. What can't be given back now is given back by the sweep. */
  async giveBack(draft: ChargeDraft): Promise<'released' | 'held'> {
    try {
      const released = (await this.ledger.release(draft.id)) !== undefined;
      if (released) this.metrics.chargeMoved(draft.rail, 'released');
      return 'released';
    } catch (error) {
      this.logger.warn({ err: error, chargeId: draft.id }, 'A hold could not be released; the sweep will.');
      return 'held';
    } finally {
      this.finished(draft.id);
    }
  }

  private async take(draft: ChargeDraft, used: Micro, answer?: object, billed?: Micro): Promise<Closed> {
    const state = used > 0n ? 'charged' : 'released';
    const left =
      used > 0n
        ? await this.ledger.capture(draft.id, used, answer && this.sealed(draft, answer), billed)
        : await this.ledger.release(draft.id);
    if (left !== undefined) return { state, left };
    // Decided before: by us, when only the answer of the database was lost, or by the sweep, while we stood still.
    const decided = await this.charges.find(draft.id);
    if (decided?.state !== state) throw new SettlementPending(draft.id);
    return { state, left: await this.ledger.balance(draft.accountId ?? '') };
  }

  private finished(chargeId: string): void {
    this.leases.letGo(chargeId);
    this.news.moved(chargeId);
  }

  private sealed({ payer, fingerprint }: ChargeDraft, answer: object): SettledAnswer['replay'] {
    return {
      status: 200,
      sealed: this.vault.seal(payer, fingerprint, answer),
      seconds: REPLAY_SECONDS,
    };
  }

  private async refusal(draft: ChargeDraft, reason: HoldRefusal): Promise<Error> {
    // What took the last of the money, or of the limit, may have been this very call.
    const first = draft.mark === undefined ? undefined : await this.charges.byMark(draft.payer, draft.mark);
    if (first !== undefined) return refusalAfter(first, draft);
    const { publicUrl } = this.settings.http;
    switch (reason) {
      case 'key-limit':
        return new KeySpendLimit(`${publicUrl}/account/keys`);
      case 'duplicate':
        return new IdempotencyInFlight();
      case 'short': {
        const balance = await this.ledger.balance(draft.accountId ?? '');
        return new InsufficientFunds(draft.price, balance, {
          links: { topUp: `${publicUrl}/account/billing` },
          headers: { 'x-balance-micro': balance.toString(), 'x-balance-remaining': usdText(balance) },
        });
      }
      default:
        return reason satisfies never;
    }
  }
}

/** A stream can't be given again: the same mark is refused while it runs, and afterwards. */
const refusalAfter = (first: Charge, draft: ChargeDraft): Error => {
  if (!first.fingerprint.equals(draft.fingerprint)) return new IdempotencyMismatch();
  return first.state === 'held' ? new IdempotencyInFlight(first.id) : new ReplayExpired(first.id);
};
