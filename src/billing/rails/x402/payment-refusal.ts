import { Injectable } from '@nestjs/common';

import type { AppError } from '../../../kernel/app-error';
import type { PaidCall } from '../../calls/paid-call';
import { X402Challenge } from './challenge';
import { FAULTS, type PaymentFault } from './payment-fault';
import { X402Price } from './x402-price';

/** Turns a fault into the 402 that says what to do about it, with fresh requirements to do it with. */
@Injectable()
export class PaymentRefusal {
  constructor(
    private readonly challenge: X402Challenge,
    private readonly price: X402Price,
  ) {}

  async refuse(
    call: PaidCall,
    fault: PaymentFault,
    headers?: Readonly<Record<string, string>>,
  ): Promise<AppError> {
    return this.challenge.paymentRequired(call, await this.price.priceOf(call), {
      code: fault === 'insufficient_funds' ? 'INSUFFICIENT_FUNDS' : 'INVALID_PAYMENT',
      message: FAULTS[fault].message,
      reason: fault,
      ...(headers === undefined ? {} : { headers }),
    });
  }
}
