import { Injectable, Logger } from '@nestjs/common';

import { Slots } from '#kernel/slots';
import type { WalletAddress } from '#kernel/wallet-address';
import { getOrMake } from '#kernel/maps';
import type { SettleAttempt } from '../facilitators/facilitator';
import { Facilitators } from '../facilitators/facilitators';
import type { ClaimedPayment } from '../proof/signed-payment';
import { X402PaymentRepository } from './x402-payment.repository';

/** The most settlements of one payer in flight. All of these can fail together, and we pay for their gas. */
const AT_ONCE = 3;

interface PayerQueue {
  readonly slots: Slots;
  users: number;
}

/**
 * Sends payments to the facilitator. A contract wallet can answer the estimate and the settlement differently, and any
 * payer can empty its wallet in between. Such a failed settlement costs us gas. The service therefore counts failures
 * by payer. After a few failures, it sends nothing for that payer for a day.
 */
@Injectable()
export class PaymentSender {
  private readonly logger = new Logger(PaymentSender.name);
  private readonly queues = new Map<WalletAddress, PayerQueue>();

  constructor(
    private readonly payments: X402PaymentRepository,
    private readonly facilitators: Facilitators,
  ) {}

  send(payment: ClaimedPayment): Promise<SettleAttempt> {
    const facilitator = this.facilitators.on(payment.network);
    if (!facilitator.paysGas) return facilitator.settle(payment);
    // A caller waits for the first attempt. Sweeps make later attempts, and in a sweep one payer must not delay all
    // others.
    const isSweep = payment.settleAttempts > 1;
    if (isSweep && (this.queues.get(payment.payer)?.users ?? 0) >= AT_ONCE)
      return Promise.resolve({ outcome: 'unknown', why: 'queue_full' });
    return this.inQueue(payment.payer, () => this.sendUnlessWasteful(payment));
  }

  private async sendUnlessWasteful(payment: ClaimedPayment): Promise<SettleAttempt> {
    if (await this.payments.isWasteful(payment.payer)) return { outcome: 'refused', fault: 'wasteful' };
    const facilitator = this.facilitators.on(payment.network);
    const attempt = await facilitator.settle(payment);
    if (attempt.outcome !== 'refused' || attempt.wasted !== true) return attempt;
    // If another party has settled the payment, the failure is not the payer's fault.
    const truth = await facilitator.outcome(payment);
    if (truth.outcome === 'settled') return truth;
    this.logger.warn({ chargeId: payment.chargeId }, 'A settlement failed on the network; its gas is lost.');
    await this.payments.wasted(payment.payer);
    return attempt;
  }

  private async inQueue<T>(payer: WalletAddress, work: () => Promise<T>): Promise<T> {
    const queue = getOrMake(this.queues, payer, () => ({ slots: new Slots(AT_ONCE), users: 0 }));
    queue.users += 1;
    try {
      return await queue.slots.run(work);
    } finally {
      queue.users -= 1;
      if (queue.users === 0) this.queues.delete(payer);
    }
  }
}
