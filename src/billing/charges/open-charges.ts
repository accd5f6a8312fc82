import { Inject, Injectable } from '@nestjs/common';

import { type Micro, usdText } from '../../kernel/money';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { IdempotencyMismatch } from '../../platform/http/idempotency-key';
import { Metrics } from '../../platform/telemetry/metrics';
import { AnswerVault } from '../calls/answer-vault';
import {
  IdempotencyInFlight,
  InsufficientFunds,
  KeySpendLimit,
  ReplayExpired,
} from '../calls/calls.errors';
import { LedgerRepository } from '../ledger/ledger.repository';
import type { SettledAnswer } from '../rails/rail';
import type { ChargeDraft } from './charge';
import { ChargeNews } from './charge-news';
import { ChargeRepository } from './charge.repository';
import { LeaseKeeper } from './lease-keeper';

/** As long as other texts are given again. */
const REPLAY_SECONDS = 600;

/** Charges whose amount is known only at the end: the worst case is set aside, and what was used is taken from it. */
@Injectable()
export class OpenCharges {
  constructor(
    private readonly ledger: LedgerRepository,
    private readonly charges: ChargeRepository,
    private readonly leases: LeaseKeeper,
    private readonly news: ChargeNews,
    private readonly vault: AnswerVault,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Answers what is left beside it. From here on somebody must capture or release. */
  async open(draft: ChargeDraft): Promise<Micro> {
    const held = await this.ledger.reserve(draft);
    if (!held.ok) {
      throw await this.refusal(draft, held.reason);
    }
    this.leases.keep(draft.id);
    this.metrics.chargeMoved(draft.rail, 'held');
    return held.balance;
  }

  /** Takes what was used; nothing used is a release. A whole answer is kept for a repetition. Answers what is left. */
  async close(draft: ChargeDraft, used: Micro, answer?: object): Promise<Micro | undefined> {
    try {
      const taken = used > 0n;
      const left = taken
        ? await this.ledger.capture(draft.id, used, answer && this.sealed(draft, answer))
        : await this.ledger.release(draft.id);
      this.metrics.chargeMoved(draft.rail, taken ? 'charged' : 'released');
      return left;
    } finally {
      this.leases.letGo(draft.id);
      this.news.moved(draft.id);
    }
  }

  private sealed({ payer, fingerprint }: ChargeDraft, answer: object): SettledAnswer['replay'] {
    return {
      status: 200,
      sealed: this.vault.seal(payer, fingerprint, answer),
      seconds: REPLAY_SECONDS,
    };
  }

  private async refusal(draft: ChargeDraft, reason: 'short' | 'duplicate' | 'key-limit'): Promise<Error> {
    const { publicUrl } = this.settings.http;
    switch (reason) {
      case 'key-limit':
        return new KeySpendLimit(`${publicUrl}/account/keys`);
      case 'duplicate':
        return this.answered(draft);
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

  /** A stream can't be given again: the same mark is refused while it runs, and afterwards. */
  private async answered(draft: ChargeDraft): Promise<Error> {
    const first = await this.charges.byMark(draft.payer, draft.mark ?? '');
    if (first === undefined) return new IdempotencyInFlight(draft.id);
    if (!first.fingerprint.equals(draft.fingerprint)) return new IdempotencyMismatch();
    return first.state === 'held' ? new IdempotencyInFlight(first.id) : new ReplayExpired(first.id);
  }
}
