import { Injectable } from '@nestjs/common';

import type { AppError } from '#kernel/app-error';
import type { WalletAddress } from '#kernel/wallet-address';
import type { PayableCall } from '../../payable-call';
import { X402Challenge } from '../challenge/challenge';
import { FAULTS, type PaymentFault } from './payment-fault-messages';
import type { OfferedPayment } from './signed-payment';
import { X402Price, claimedPayer } from '../challenge/x402-price';

interface RefusalDetails {
  readonly signer?: WalletAddress | undefined;
  /** The network of the payment; by default the network of the call's proven payment. */
  readonly network?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

const networkOf = ({ payer }: PayableCall): string | undefined =>
  (payer?.proof as { readonly offer: OfferedPayment } | undefined)?.offer.payment.network;

/** Converts a fault into the 402 with its remedy and fresh requirements. */
@Injectable()
export class PaymentRefusal {
  constructor(
    private readonly challenge: X402Challenge,
    private readonly price: X402Price,
  ) {}

  /**
   * `signer` is known after the signature is verified. The price depends on the signer, because a quote may be for one
   * wallet.
   */
  async refuse(
    call: PayableCall,
    fault: PaymentFault,
    { signer = call.payer?.wallet, network = networkOf(call), headers }: RefusalDetails = {},
  ): Promise<AppError> {
    const problem = {
      code: fault === 'insufficient_funds' ? 'INSUFFICIENT_FUNDS' : 'INVALID_PAYMENT',
      message: FAULTS[fault].message,
      reason: fault,
      network,
      headers,
    } as const;
    const tierOf = claimedPayer(call) ?? signer;
    return this.challenge.paymentRequired(call, await this.price.priceOf(call, signer), problem, tierOf);
  }
}
