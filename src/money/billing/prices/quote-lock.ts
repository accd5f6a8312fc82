import { Injectable } from '@nestjs/common';

import type { PricedCall } from '#models/catalog/priced-call';
import { Clock } from '#kernel/clock';
import { type Micro, micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { SigningKeys } from '#platform/config/signing-keys';
import { QuoteExpired, QuoteMismatch } from './prices.errors';

export const QUOTE_SECONDS = 900;
const PREFIX = 'qt_';
/** Open quotes are encrypted for this purpose, so its name stays. */
const PURPOSE = 'price lock';

/**
 * Locks a price for fifteen minutes. The quote's id contains the price, encrypted, so that a free route writes nothing.
 */
@Injectable()
export class QuoteLock {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
  ) {}

  seal(
    priced: PricedCall,
    price: Micro,
    payer: WalletAddress | undefined,
  ): { quoteId: string; expiresAt: Date } {
    const expires = Math.floor(this.clock.now().getTime() / 1_000) + QUOTE_SECONDS;
    const text = [priced.modelId, priced.input, price, payer ?? '', expires].join('\n');
    return { quoteId: PREFIX + this.keys.seal(PURPOSE, text), expiresAt: new Date(expires * 1_000) };
  }

  /** Returns the locked price of the call. Throws if the quote is not valid for this call. */
  open(quoteId: string, priced: PricedCall, payer: WalletAddress | undefined): Micro {
    const text = quoteId.startsWith(PREFIX)
      ? this.keys.unseal(PURPOSE, quoteId.slice(PREFIX.length))
      : undefined;
    if (text === undefined) throw new QuoteMismatch('it is not a quote of this service');
    const [modelId, input, price = '0', lockedPayer, expires] = text.split('\n');
    if (Number(expires) * 1_000 <= this.clock.now().getTime()) throw new QuoteExpired();
    if (modelId !== priced.modelId || input !== priced.input) {
      throw new QuoteMismatch(
        'the model, an input that sets its price, or the price class of the payer differs; ask for a quote with the credential of the call',
      );
    }
    if (lockedPayer !== '' && lockedPayer !== payer) throw new QuoteMismatch('it was made for another payer');
    return micro(BigInt(price));
  }
}
