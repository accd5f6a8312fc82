import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';

import { accountLinks } from '../../accounts/account-links';
import { discounted } from '../../catalog/tiers';
import { Sanctions } from '../../identity/sanctions';
import { InvalidRequest } from '../../kernel/app-error';
import { type Micro, micro } from '../../kernel/money';
import { parseWallet } from '../../kernel/wallet-address';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { PriceLock } from '../prices/price-lock';
import { X402Challenge } from '../rails/x402/challenge/challenge';
import { WalletTiers } from '../prices/wallet-tiers';
import { MissingCredentials, PriceAboveMax } from './calls.errors';
import { type PaidCall, callOf } from './paid-call';

/** Closes the chain of rails: nobody claimed the call means 402; else the final price of the proven payer. */
@Injectable()
export class PayerGuard implements CanActivate {
  constructor(
    private readonly locks: PriceLock,
    private readonly challenge: X402Challenge,
    private readonly tiers: WalletTiers,
    private readonly sanctions: Sanctions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const call = callOf(context);
    if (call.payer === undefined) {
      refuseStrangeBearer(call, this.settings.http.publicUrl);
      this.sanctions.refuseWallet(call.body.payer === undefined ? undefined : parseWallet(call.body.payer));
      const price = await this.challengePrice(call);
      refuseAboveMax(call, price);
      throw await this.challenge.paymentRequired(call, price);
    }
    this.sanctions.refuseWallet(call.payer.wallet);
    // The x402 rail has already checked the signed amount against the price that it quoted.
    call.price ??= this.priceFor(call);
    refuseAboveMax(call, call.price);
    return true;
  }

  private priceFor({ payer, body, priced }: PaidCall): Micro {
    const claimed = body.payer === undefined ? undefined : parseWallet(body.payer);
    if (payer?.wallet !== undefined && claimed !== undefined && claimed !== payer.wallet) {
      throw new InvalidRequest('payer names another wallet than the one that signed in.', { param: 'payer' });
    }
    const price = discounted(priced.list, payer?.discountPercent ?? 0, priced.floor);
    return body.quoteId === undefined ? price : this.locks.open(body.quoteId, priced, payer?.wallet);
  }

  /** Nobody has proven anything yet: the tier is that of the wallet which the body says will pay. */
  private async challengePrice({ body, priced }: PaidCall): Promise<Micro> {
    const payer = body.payer === undefined ? undefined : parseWallet(body.payer);
    if (body.quoteId !== undefined) {
      return this.locks.open(body.quoteId, priced, payer);
    }
    const percent = payer === undefined ? 0 : await this.tiers.percentOf(payer);
    return discounted(priced.list, percent, priced.floor);
  }
}

/** Stock clients always send some Bearer; alone, one that is no key of ours is a mistake worth naming. */
const refuseStrangeBearer = ({ request }: PaidCall, publicUrl: string): void => {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const { manageKeys, signIn } = accountLinks(publicUrl);
    throw new MissingCredentials(
      'This is not a Lamppost key: keys are lp_ and 64 characters, sent as x-api-key or as Bearer.',
      { links: { manageKeys, signIn } },
    );
  }
};

const refuseAboveMax = ({ request, body }: PaidCall, price: Micro): void => {
  const header = request.headers['x-max-price-micro'];
  if (header !== undefined && !/^\d{1,15}$/.test(String(header))) {
    throw new InvalidRequest('X-Max-Price-Micro must be a whole number of micro-USD.', {
      param: 'X-Max-Price-Micro',
    });
  }
  const given = [body.maxPriceMicro, header === undefined ? undefined : Number(header)];
  const max = given.filter((value) => value !== undefined);
  if (max.some((value) => micro(BigInt(value)) < price)) {
    throw new PriceAboveMax(price);
  }
};
