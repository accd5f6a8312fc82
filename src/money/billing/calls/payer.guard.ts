import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';

import { accountLinks } from '#people/accounts/account-links';
import { Catalog } from '#models/catalog/catalog';
import { requireVendorAt } from '#models/catalog/priced-call';
import { discounted } from '#models/catalog/volume-discount';
import { Adults } from '#people/identity/adults';
import { Sanctions } from '#people/identity/sanctions';
import { KeyScope } from '#people/keys/keys.errors';
import { AppError, InvalidRequest } from '#kernel/app-error';
import type { Micro } from '#kernel/money';
import { countAs } from '#platform/http/limits/payer-throttler.guard';
import { QuoteLock } from '../prices/quote-lock';
import type { Payer } from '../rails/payer';
import { Payers } from '../rails/payers';
import { X402Challenge } from '../rails/x402/challenge/challenge';
import { X402Price, claimedPayer } from '../rails/x402/challenge/x402-price';
import { PaymentUnavailable } from '../rails/x402/x402.errors';
import { agree, maxOf, refuseAboveMax } from './agreed-price';
import { pricedFor } from './price-class-of-payer';
import { MissingCredentials } from './refused-call.errors';
import { type PaidCall, paidCallOf, scopeOf } from './paid-call';
import { PayableByAnybody } from './payable-by-anybody';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/**
 * Runs after the guards of all rails. It writes the final price and checks that the proven payer may make the call. It
 * refuses a call that no rail claims, with a 402 and its requirements or with a 401.
 */
@Injectable()
export class PayerGuard implements CanActivate {
  constructor(
    private readonly catalog: Catalog,
    private readonly locks: QuoteLock,
    private readonly challenge: X402Challenge,
    private readonly anybody: PayableByAnybody,
    private readonly listed: X402Price,
    private readonly sanctions: Sanctions,
    private readonly adults: Adults,
    private readonly payers: Payers,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const call = paidCallOf(context);
    if (call.payer === undefined) throw await this.refusal(call);
    countAs(call.request, call.payer.limitedAs);
    await this.admit(call, call.payer);
    return true;
  }

  private async admit(call: PaidCall, payer: Payer): Promise<void> {
    call.priced = pricedFor(call.priced, payer);
    if (call.priced.adultsOnly === true) this.adults.require(payer.id, call.priced.modelId);
    const max = maxOf(call);
    // The x402 rail has already checked the signed amount against the price that it quoted.
    agree(call, payer, payer.agreedPrice ?? this.priceFor(call, payer), max);
    if (payer.key !== undefined) await this.requireScope(call, payer);
  }

  /** The model and the price may have changed since an earlier equal call, so they refuse only a new call. */
  private async requireScope(call: PaidCall, payer: Payer): Promise<void> {
    const { modelId } = call.priced;
    const use = { route: scopeOf(call), modelId, formerModelId: this.catalog.formerIdOf(modelId) };
    try {
      await this.payers.require(payer, call.request, { ...use, priceMicro: call.least ?? call.price! });
    } catch (error) {
      if (!(error instanceof KeyScope)) throw error;
      this.payers.check(payer, call.request, { route: use.route });
      call.refusal ??= error;
    }
  }

  /** Returns a 402 with requirements, if the route can be paid without a credential, or throws a 401. */
  private async refusal(call: PaidCall): Promise<Error> {
    const isBearer = call.request.headers.authorization !== undefined;
    if (!this.anybody.mayPay(call.route)) {
      throw !isBearer && this.anybody.isUncertain(call.route)
        ? new PaymentUnavailable()
        : this.credentialsMissing(ACCOUNT_ONLY);
    }
    // Stock clients always send some Bearer token, so a token that is not one of our keys gets a separate message.
    if (isBearer) throw this.credentialsMissing(STRANGE_BEARER);
    this.sanctions.refuseWallet(claimedPayer(call));
    if (!call.probe) this.catalog.requireSale(call.priced.modelId);
    const price = await this.listed.priceOf(call);
    if (!call.probe) requireVendorAt(call.priced, price);
    refuseAboveMax(call, price);
    return this.challenge.paymentRequired(call, price);
  }

  private priceFor(call: PaidCall, payer: Payer): Micro {
    const { body, priced, route } = call;
    const claimed = claimedPayer(call);
    if (payer.wallet !== undefined && claimed !== undefined && claimed !== payer.wallet) {
      throw new InvalidRequest('payer names another wallet than the one that signed in.', { param: 'payer' });
    }
    // The reserve of a by-use call is its worst case, and no discount reduces it.
    const percent = route.answer === 'by-use' ? 0 : payer.discountPercent;
    const price = discounted(priced.list, percent, priced.floor);
    if (body.quoteId === undefined) return price;
    try {
      return this.locks.open(body.quoteId, priced, payer.wallet);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      call.refusal = error;
      return price;
    }
  }

  private credentialsMissing(message: string): MissingCredentials {
    const { manageKeys, signIn } = accountLinks(this.settings.http.publicUrl);
    return new MissingCredentials(message, { links: { manageKeys, signIn } });
  }
}

const ACCOUNT_ONLY =
  "This route takes an API key (x-api-key, or Bearer lp_…), a session, or a wallet's sign-in (Sign-In-With-X).";

const STRANGE_BEARER =
  'This is not a Lamppost key: keys are lp_ and 64 characters, sent as x-api-key or as Bearer.';
