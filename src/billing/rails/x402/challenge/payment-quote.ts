import { timingSafeEqual } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';

import { Clock } from '../../../../kernel/clock';
import { type Micro, micro } from '../../../../kernel/money';
import type { WalletAddress } from '../../../../kernel/wallet-address';
import { SETTINGS, type Settings } from '../../../../platform/config/settings';
import { SigningKeys } from '../../../../platform/config/signing-keys';
import type { PayableCall } from '../../payable-call';

/** As long as a quote by id holds, so that a person may sit between the price and the signature. */
const QUOTE_SECONDS = 900;
const PURPOSE = 'x402 quote';
const MAC_BYTES = 16;
const FORM = /^([0-9a-z]{1,10})\.([1-9]\d{0,15})\.([A-Za-z0-9_-]{22})$/;

export type OpenedQuote =
  | { readonly outcome: 'holds'; readonly price: Micro }
  | { readonly outcome: 'expired' }
  /** Made for another call, or not by us: the payment belongs elsewhere. */
  | { readonly outcome: 'foreign' };

/**
 * A price that is sealed to one call: method, address and body (and so the payer that the body names), the token, the
 * wallet it goes to, the wallet whose tier it carries if it carries one, and a time. Clients echo it unread, which binds their payment to the call without signing it.
 */
@Injectable()
export class PaymentQuote {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** `tierOf` is the only wallet that may pay this price; without it anybody may. */
  seal(call: PayableCall, price: Micro, tierOf?: WalletAddress): string {
    const expires = (Math.floor(this.clock.now().getTime() / 1_000) + QUOTE_SECONDS).toString(36);
    return `${expires}.${price}.${this.mac(call, expires, price.toString(), tierOf).toString('base64url')}`;
  }

  open(call: PayableCall, quote: string, signer?: WalletAddress): OpenedQuote {
    const [, expires = '', price = '', given = ''] = FORM.exec(quote) ?? [];
    const mac = Buffer.from(given, 'base64url');
    const isOurs = (tierOf?: WalletAddress): boolean =>
      timingSafeEqual(mac, this.mac(call, expires, price, tierOf));
    if (mac.length !== MAC_BYTES || !(isOurs() || isOurs(signer))) {
      return { outcome: 'foreign' };
    }
    return Number.parseInt(expires, 36) * 1_000 <= this.clock.now().getTime()
      ? { outcome: 'expired' }
      : { outcome: 'holds', price: micro(BigInt(price)) };
  }

  private mac(
    { fingerprint, body }: PayableCall,
    expires: string,
    price: string,
    tierOf: WalletAddress | undefined,
  ): Buffer {
    const { network, asset, payTo } = this.settings.x402;
    const text = [
      expires,
      price,
      network,
      asset,
      payTo,
      body.payer?.toLowerCase() ?? '',
      fingerprint.toString('hex'),
      ...(tierOf === undefined ? [] : [tierOf]),
    ];
    return this.keys.sign(PURPOSE, text.join('\n')).subarray(0, MAC_BYTES);
  }
}
