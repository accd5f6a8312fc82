import { Injectable, Logger } from '@nestjs/common';

import { X402Metrics } from '../x402.metrics';
import { Facilitators } from '../facilitators/facilitators';
import { PaymentSender } from './payment-sender';
import type { ClaimedPayment } from '../proof/signed-payment';
import { X402PaymentRepository } from './x402-payment.repository';

/**
 * A chain may drop its newest blocks, and with them a payment whose call was answered. The service then sends the
 * payment again while the signature is valid. If it can't send the payment again, the loss is ours: the payer keeps the
 * answer, and a metric shows the loss to operators.
 */
@Injectable()
export class X402Finality {
  private readonly logger = new Logger(X402Finality.name);

  constructor(
    private readonly payments: X402PaymentRepository,
    private readonly facilitators: Facilitators,
    private readonly sender: PaymentSender,
    private readonly metrics: X402Metrics,
  ) {}

  /** Takes payments whose next check is due. They become due again later, unless the check finds them final. */
  due(limit: number): Promise<readonly ClaimedPayment[]> {
    return this.payments.takeWatched(limit);
  }

  async check(payment: ClaimedPayment): Promise<void> {
    const { chargeId, amount } = payment;
    const facilitator = this.facilitators.on(payment.network);
    const final = await facilitator.outcome(payment, 'finalized');
    if (final.outcome === 'settled') {
      await this.payments.final(chargeId, final);
      return;
    }
    if (final.outcome === 'unsettled' && final.final) {
      if (await this.payments.lost(chargeId)) {
        this.metrics.paymentLost(amount);
        this.logger.error(
          { chargeId, micro: amount.toString() },
          'The chain has dropped a payment for good; its price is lost.',
        );
      }
      return;
    }
    const now = await facilitator.outcome(payment, 'latest');
    if (now.outcome === 'settled') {
      await this.payments.carriedBy(chargeId, now);
    } else if (now.outcome === 'unsettled' && !now.final) {
      this.logger.warn({ chargeId }, 'The chain has dropped a payment; it is sent again.');
      const again = await this.sender.send(payment);
      if (again.outcome === 'settled') await this.payments.carriedBy(chargeId, again);
    }
  }
}
