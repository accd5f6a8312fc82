import { Injectable, Logger } from '@nestjs/common';

import type { ChainOutcome, SettleAttempt, Transfer } from '../facilitators/facilitator';
import { Facilitators } from '../facilitators/facilitators';
import { PaymentSender } from './payment-sender';
import type { PaymentFault } from '../proof/payment-fault-messages';
import type { ClaimedPayment } from '../proof/signed-payment';
import { X402PaymentRepository } from './x402-payment.repository';

export type Settled =
  | { readonly outcome: 'charged'; readonly transaction: string }
  | { readonly outcome: 'failed'; readonly fault: PaymentFault }
  | { readonly outcome: 'unknown'; readonly why: string };

/**
 * Faults that are certain on a first attempt even without a chain. A "bad signature" is not certain: an outage of the
 * facilitator looks the same, and we have verified the signature.
 */
const CERTAIN: ReadonlySet<PaymentFault> = new Set([
  'insufficient_funds',
  'expires_too_soon',
  'not_yet_valid',
]);

/**
 * Settles a payment whose intent is stored. If the outcome is unclear, it leaves the payment in doubt and never
 * guesses.
 */
@Injectable()
export class X402Settlement {
  private readonly logger = new Logger(X402Settlement.name);

  constructor(
    private readonly payments: X402PaymentRepository,
    private readonly facilitators: Facilitators,
    private readonly sender: PaymentSender,
  ) {}

  async settle(payment: ClaimedPayment): Promise<Settled> {
    const first = payment.settleAttempts === 1;
    if (!first) {
      const before = await this.truthOf(payment);
      if (before.outcome === 'settled') return this.charge(payment, before);
      if (before.outcome === 'unsettled' && before.final) return this.fail(payment, 'refused');
    }
    const attempt = await this.attempt(payment);
    if (attempt.outcome === 'settled') return this.charge(payment, attempt);
    const truth = await this.truthOf(payment);
    if (truth.outcome === 'settled') return this.charge(payment, truth);
    const fault = attempt.outcome === 'refused' ? attempt.fault : 'refused';
    if (truth.outcome === 'unsettled' && truth.final) return this.fail(payment, fault);
    // After a first attempt a transaction may be in flight, so a later refusal proves nothing.
    const isCertain =
      first && attempt.outcome === 'refused' && (truth.outcome === 'unsettled' || CERTAIN.has(fault));
    if (isCertain && fault !== 'payment_already_used') return this.fail(payment, fault);
    return this.doubt(payment, attempt.outcome === 'unknown' ? attempt.why : `refused_${fault}`);
  }

  private async charge(payment: ClaimedPayment, transfer: Transfer): Promise<Settled> {
    const { forgets } = this.facilitators.on(payment.network);
    const moved = await this.payments.charged(payment.chargeId, transfer, forgets);
    switch (moved) {
      case 'charged':
        return { outcome: 'charged', transaction: transfer.transaction };
      case 'decided':
        return this.decidedElsewhere(payment.chargeId);
      case 'spent':
        // No honest facilitator names one transfer for two payments, so an operator must investigate.
        this.logger.error(
          { chargeId: payment.chargeId },
          'The facilitator named a transfer that has paid another charge.',
        );
        return this.doubt(payment, 'transfer_spent');
      default:
        return moved satisfies never;
    }
  }

  private async fail(payment: ClaimedPayment, fault: PaymentFault): Promise<Settled> {
    const moved = await this.payments.released(payment.chargeId, 'settling', fault);
    return moved ? { outcome: 'failed', fault } : this.decidedElsewhere(payment.chargeId);
  }

  private async doubt(payment: ClaimedPayment, why: string): Promise<Settled> {
    this.logger.warn(
      { chargeId: payment.chargeId, why },
      'A payment is in doubt; the chain will be asked again.',
    );
    await this.payments.inDoubt(payment.chargeId, why);
    return { outcome: 'unknown', why };
  }

  /** Another process has decided the payment, and its decision counts. */
  async decidedElsewhere(chargeId: string): Promise<Settled> {
    const now = await this.payments.find(chargeId);
    if (now?.transaction !== undefined) return { outcome: 'charged', transaction: now.transaction };
    return now === undefined || now.state === 'released'
      ? { outcome: 'failed', fault: 'refused' }
      : { outcome: 'unknown', why: 'settled_elsewhere' };
  }

  private async attempt(payment: ClaimedPayment): Promise<SettleAttempt> {
    try {
      return await this.sender.send(payment);
    } catch (error) {
      this.logger.warn(
        { err: error, chargeId: payment.chargeId },
        'The facilitator failed while it settled.',
      );
      return { outcome: 'unknown', why: 'facilitator_failed' };
    }
  }

  private async truthOf(payment: ClaimedPayment): Promise<ChainOutcome> {
    try {
      return await this.facilitators.on(payment.network).outcome(payment);
    } catch (error) {
      this.logger.warn({ err: error, chargeId: payment.chargeId }, 'The chain could not be asked.');
      return { outcome: 'unknown' };
    }
  }
}
