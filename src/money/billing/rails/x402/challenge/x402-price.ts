import { Injectable } from '@nestjs/common';

import { discounted } from '#models/catalog/volume-discount';
import type { Micro } from '#kernel/money';
import { type WalletAddress, parseWallet } from '#kernel/wallet-address';
import type { PayableCall } from '../../payable-call';
import { QuoteLock } from '#money/billing/prices/quote-lock';
import { WalletTierRepository } from '#money/billing/prices/wallet-tier.repository';
import type { SignedPayment } from '../proof/signed-payment';

/** The price of a call on this rail: at the tier of the wallet that the body names, or else the list price. */
@Injectable()
export class X402Price {
  constructor(
    private readonly locks: QuoteLock,
    private readonly tiers: WalletTierRepository,
  ) {}

  async priceOf(call: PayableCall, signer?: WalletAddress): Promise<Micro> {
    const { body, priced } = call;
    return body.quoteId === undefined
      ? discounted(priced.list, await this.discountOf(call), priced.floor)
      : this.locks.open(body.quoteId, priced, claimedPayer(call) ?? signer);
  }

  /** A payment below the list price uses the tier of its signer, because the body need not name the wallet. */
  async discountOf(call: PayableCall, payment?: Pick<SignedPayment, 'payer' | 'amount'>): Promise<number> {
    const isBelowList = payment !== undefined && payment.amount < call.priced.list;
    const payer = claimedPayer(call) ?? (isBelowList ? payment.payer : undefined);
    return payer === undefined ? 0 : this.tiers.percentOf(payer);
  }
}

export const claimedPayer = ({ body }: PayableCall): WalletAddress | undefined =>
  body.payer === undefined ? undefined : parseWallet(body.payer);
