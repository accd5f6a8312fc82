import { Inject, Injectable, Logger } from '@nestjs/common';

import { newId } from '../../kernel/ids';
import type { Micro } from '../../kernel/money';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { DatabaseUnavailable } from '../../platform/database/database.errors';
import { Metrics } from '../../platform/telemetry/metrics';
import { AnswerVault } from '../calls/answer-vault';
import { KeySpendLimit, SettlementPending, WorkInDoubt } from '../calls/calls.errors';
import type { PaidCall } from '../calls/paid-call';
import { Rails } from '../rails/rails';
import type { SettledAnswer } from '../rails/rail';
import type { ChargeDraft } from './charge';
import { ChargeNews } from './charge-news';
import { LeaseKeeper } from './lease-keeper';

export interface HeldCharge {
  readonly draft: ChargeDraft;
  /** What the payer has left, where that is ours to know. */
  readonly balance?: Micro;
}

/** Thrown when another call with the same mark got there first; the caller of `hold` then waits for that one. */
export class AlreadyHeld extends Error {}

/** The only one who moves a charge while its call runs. */
@Injectable()
export class ChargeService {
  private readonly logger = new Logger(ChargeService.name);

  constructor(
    private readonly rails: Rails,
    private readonly leases: LeaseKeeper,
    private readonly news: ChargeNews,
    private readonly vault: AnswerVault,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Secures the price of the call. From here on the money is held, and somebody must decide it. */
  async hold(call: PaidCall, mark: string | undefined): Promise<HeldCharge> {
    const draft = draftOf(call, mark);
    const payer = call.payer!;
    const rail = this.rails.of(draft.rail);
    const held = await rail.hold(call, draft);
    if (!held.ok) {
      switch (held.reason) {
        case 'duplicate':
          throw new AlreadyHeld();
        case 'key-limit':
          throw new KeySpendLimit(`${this.settings.http.publicUrl}/account/keys`);
        case 'short':
          throw await rail.shortOf(call, payer);
      }
    }
    this.leases.keep(draft.id);
    this.metrics.chargeMoved(draft.rail, 'held');
    return { draft, ...(payer.rail === 'x402' ? {} : { balance: held.balance }) };
  }

  /**
   * Takes the money. What is thrown here is about the payment, never about the work: a settlement in doubt must not
   * look like a failed handler, or the sweep and we would both decide it.
   */
  async settle(
    call: PaidCall,
    { draft }: HeldCharge,
    answer: { readonly status: number; readonly body: unknown; readonly jobId?: string } | undefined,
  ): Promise<Readonly<Record<string, string>>> {
    try {
      const settlement = await this.rails
        .of(draft.rail)
        .settle(call, draft, this.sealed(call, draft, answer));
      switch (settlement.outcome) {
        case 'charged':
          this.metrics.chargeMoved(draft.rail, 'charged');
          return settlement.headers;
        case 'failed':
          this.metrics.chargeMoved(draft.rail, 'released');
          throw settlement.error;
        case 'unknown':
          this.logger.error({ err: settlement.error, chargeId: draft.id }, 'A settlement is in doubt.');
          throw new SettlementPending(draft.id, settlement.error);
        default:
          return settlement satisfies never;
      }
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? new SettlementPending(draft.id, error) : error;
    } finally {
      this.finished(draft.id);
    }
  }

  /** The work failed: gives the money back when that is sure, and leaves it to the sweep when it is not. */
  async giveUp({ draft }: HeldCharge, error: unknown): Promise<'released' | 'held'> {
    try {
      if (error instanceof WorkInDoubt) {
        return 'held';
      }
      const released = await this.rails.of(draft.rail).release(draft.id);
      this.metrics.chargeMoved(draft.rail, 'released');
      return released ? 'released' : 'held';
    } catch (failure) {
      this.logger.warn({ err: failure, chargeId: draft.id }, 'A hold could not be released; the sweep will.');
      return 'held';
    } finally {
      this.finished(draft.id);
    }
  }

  private finished(chargeId: string): void {
    this.leases.letGo(chargeId);
    this.news.moved(chargeId);
  }

  private sealed(
    call: PaidCall,
    draft: ChargeDraft,
    answer: { readonly status: number; readonly body: unknown; readonly jobId?: string } | undefined,
  ): SettledAnswer {
    const watched = draft.mark !== undefined || draft.rail === 'x402';
    if (answer === undefined) {
      return { chargeId: draft.id, watched };
    }
    return {
      chargeId: draft.id,
      ...(answer.jobId === undefined ? {} : { jobId: answer.jobId }),
      watched,
      replay: {
        status: answer.status,
        sealed: this.vault.seal(draft.payer, draft.fingerprint, answer.body),
        seconds: call.route.replaySeconds,
      },
    };
  }
}

const draftOf = (
  { route, payer, price, priced, fingerprint }: PaidCall,
  mark: string | undefined,
): ChargeDraft => {
  if (payer === undefined || price === undefined) {
    throw new Error('A call is held only after its payer is proven and its price is final.');
  }
  return {
    id: newId('ch'),
    rail: payer.rail,
    operation: route.operation,
    payer: payer.id,
    ...(payer.accountId === undefined ? {} : { accountId: payer.accountId }),
    ...(payer.keyId === undefined ? {} : { keyId: payer.keyId }),
    modelId: priced.modelId,
    price,
    // A quote may have locked a price from before a change of the list.
    list: price > priced.list ? price : priced.list,
    discountPercent: payer.discountPercent,
    fingerprint,
    ...(mark === undefined ? {} : { mark }),
  };
};
