import { Injectable, Logger } from '@nestjs/common';

import { Metrics } from '../../../../platform/telemetry/metrics';
import { Facilitator } from '../facilitators/facilitator';
import { PaymentSender } from './payment-sender';
import type { ClaimedPayment } from '../proof/signed-payment';
import { X402PaymentRepository } from './x402-payment.repository';

/**
 * A chain may forget its newest blocks, and with them a payment that was answered for. It is brought again while its
 * signature lasts. One that can't come any more is a loss of ours: the payer keeps what it got, and operators are told.
 */
@Injectable()
export class X402Finality {
  private readonly logger = new Logger(X402Finality.name);

  constructor(
    private readonly payments: X402PaymentRepository,
    private readonly facilitator: Facilitator,
    private readonly sender: PaymentSender,
    private readonly metrics: Metrics,
  ) {}

  /** Payments whose next look is due. They are due again later, unless a look was the last. */
  due(limit: number): Promise<readonly ClaimedPayment[]> {
    return this.payments.takeWatched(limit);
  }

  async look(payment: ClaimedPayment): Promise<void> {
    const { chargeId, amount } = payment;
    const final = await this.facilitator.outcome(payment, 'finalized');
    if (final.outcome === 'settled') {
      await this.payments.final(chargeId, final);
      return;
    }
    if (final.outcome === 'unsettled' && final.final) {
      if (await this.payments.lost(chargeId)) {
        this.metrics.paymentLost(amount);
        this.logger.error(
          { chargeId, micro: amount.toString() },
          'The chain has forgotten a payment for good; its price is lost.',
        );
      }
      return;
    }
    const now = await this.facilitator.outcome(payment, 'latest');
    if (now.outcome === 'settled') {
      await this.payments.carriedBy(chargeId, now);
    } else if (now.outcome === 'unsettled' && !now.final) {
      this.logger.warn({ chargeId }, 'The chain has forgotten a payment; it is brought again.');
      const again = await this.sender.send(payment);
      if (again.outcome === 'settled') await this.payments.carriedBy(chargeId, again);
    }
  }
}
