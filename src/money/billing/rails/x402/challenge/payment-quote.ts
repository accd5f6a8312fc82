import { Inject, Injectable } from '@nestjs/common';

import { Clock } from '#kernel/clock';
import { type Micro, micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { SigningKeys } from '#platform/config/signing-keys';
import type { PayableCall } from '../../payable-call';
import { SETTINGS } from '#platform/config/settings';
import type { X402Network } from '#money/networks/networks';
import type { X402Settings } from '../x402.settings';

/** Equal to the validity of a quote by id, so that a person has time to see the price and sign. */
const QUOTE_SECONDS = 900;
const PURPOSE = 'x402 quote';
const FORM = /^([0-9a-z]{1,10})\.([1-9]\d{0,15})\.([A-Za-z0-9_-]{22})$/;

export type OpenedQuote =
  | { readonly outcome: 'holds'; readonly price: Micro }
  | { readonly outcome: 'expired' }
  /** The quote is for another call, or another service has made it, so it does not fit this payment. */
  | { readonly outcome: 'foreign' };

/**
 * A price with a MAC over one call: its method, its address, and its body with the payer that the body names. The MAC
 * covers the model if it comes from a list. The MAC
 * also covers the network, the token, our wallet, the wallet of the tier if there is one, and a time. Clients return
 * the quote unread, which binds their payment to the call although they do not sign the call.
 */
@Injectable()
export class PaymentQuote {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: X402Settings,
  ) {}

  /** `tierOf` is the only wallet that may pay this price. Without `tierOf`, any wallet may pay it. */
  seal(
    call: PayableCall,
    price: Micro,
    tierOf?: WalletAddress,
    network: X402Network = this.settings.x402,
  ): string {
    const expires = (Math.floor(this.clock.now().getTime() / 1_000) + QUOTE_SECONDS).toString(36);
    const mac = this.keys.mac(PURPOSE, this.textOf(call, network, expires, price.toString(), tierOf));
    return `${expires}.${price}.${mac.toString('base64url')}`;
  }

  open(
    call: PayableCall,
    quote: string,
    signer?: WalletAddress,
    network: X402Network = this.settings.x402,
  ): OpenedQuote {
    const [, expires = '', price = '', given = ''] = FORM.exec(quote) ?? [];
    const mac = Buffer.from(given, 'base64url');
    const isOurs = (tierOf?: WalletAddress): boolean =>
      this.keys.isMac(PURPOSE, this.textOf(call, network, expires, price, tierOf), mac);
    if (!isOurs() && !isOurs(signer)) return { outcome: 'foreign' };
    return Number.parseInt(expires, 36) * 1_000 <= this.clock.now().getTime()
      ? { outcome: 'expired' }
      : { outcome: 'holds', price: micro(BigInt(price)) };
  }

  private textOf(
    { fingerprint, body, priced }: PayableCall,
    { network, asset, payTo }: X402Network,
    expires: string,
    price: string,
    tierOf: WalletAddress | undefined,
  ): string {
    return [
      expires,
      price,
      network,
      asset,
      payTo,
      body.payer?.toLowerCase() ?? '',
      fingerprint.toString('hex'),
      // An alias may lead to a model of a list before the quote of another model expires.
      ...(priced.isListed === true ? [`model ${priced.modelId}`] : []),
      ...(tierOf === undefined ? [] : [tierOf]),
    ].join('\n');
  }
}
