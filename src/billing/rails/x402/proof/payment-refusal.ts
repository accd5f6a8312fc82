import { Injectable } from '@nestjs/common';

import type { AppError } from '../../../../kernel/app-error';
import type { WalletAddress } from '../../../../kernel/wallet-address';
import type { PayableCall } from '../../payable-call';
import { X402Challenge } from '../challenge/challenge';
import { FAULTS, type PaymentFault } from './payment-fault';
import { X402Price, claimedPayer } from '../challenge/x402-price';

interface RefusalDetails {
  readonly signer?: WalletAddress | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** SerialQueue a fault into the 402 that says what to do about it, with fresh requirements to do it with. */
@Injectable()
export class PaymentRefusal {
  constructor(
    private readonly challenge: X402Challenge,
    private readonly price: X402Price,
  ) {}

  /** `signer` once the signature has shown who it is: a quote may be for nobody else. */
  async refuse(
    call: PayableCall,
    fault: PaymentFault,
    { signer = call.payer?.wallet, headers }: RefusalDetails = {},
  ): Promise<AppError> {
    const problem = {
      code: fault === 'insufficient_funds' ? 'INSUFFICIENT_FUNDS' : 'INVALID_PAYMENT',
      message: FAULTS[fault].message,
      reason: fault,
      headers,
    } as const;
    const tierOf = claimedPayer(call) ?? signer;
    return this.challenge.paymentRequired(call, await this.price.priceOf(call, signer), problem, tierOf);
  }
}
