import type { FastifyRequest } from 'fastify';

import type { Micro } from '../../kernel/money';
import type { PaidCall } from '../calls/paid-call';
import type { Charge, ChargeDraft, Held } from '../charges/charge';
import type { LedgerRepository } from '../ledger/ledger.repository';
import { type Payer, PaymentRail, type SettledAnswer, type Settlement, type WorkOutcome } from './rail';

/** A rail whose money is already with us: a hold is a debit, a settlement a change of state. */
export abstract class PrepaidRail extends PaymentRail {
  constructor(protected readonly ledger: LedgerRepository) {
    super();
  }

  /** Who a request proves to be, from its headers alone. */
  abstract payerOf(request: FastifyRequest): Promise<Payer>;

  balance(payer: Payer): Promise<Micro | undefined> {
    return this.ledger.balance(payer.accountId ?? '');
  }

  async requireCover(call: PaidCall): Promise<void> {
    const payer = call.payer!;
    if ((await this.ledger.balance(payer.accountId ?? '')) < call.price!)
      throw await this.shortOf(call, payer);
  }

  hold(_call: PaidCall, draft: ChargeDraft): Promise<Held> {
    return this.ledger.hold(draft);
  }

  async settle(_call: PaidCall, draft: ChargeDraft, answer: SettledAnswer): Promise<Settlement> {
    const moved = await this.ledger.settle(answer);
    return moved
      ? { outcome: 'charged', headers: {} }
      : { outcome: 'unknown', error: new Error(`Charge ${draft.id} was decided by somebody else.`) };
  }

  async release(chargeId: string): Promise<boolean> {
    return (await this.ledger.release(chargeId)) !== undefined;
  }

  async refund(chargeId: string): Promise<boolean> {
    return (await this.ledger.refund(chargeId)) !== undefined;
  }

  async recover(charge: Charge, work: WorkOutcome): Promise<void> {
    if (work === 'done') {
      await this.ledger.settle({ chargeId: charge.id, jobId: charge.jobId, watched: true });
    } else if (work === 'not-done') {
      await this.ledger.release(charge.id);
    }
  }
}
