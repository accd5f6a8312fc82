import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { accountLinks } from '../../accounts/account-links';
import { discounted } from '../../catalog/tiers';
import { Sanctions } from '../../identity/sanctions';
import type { RouteScope } from '../../keys/key-scopes';
import { type AppError, InvalidRequest } from '../../kernel/app-error';
import { type Micro, micro } from '../../kernel/money';
import { type Soon, soon } from '../../kernel/soon';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { fingerprintOf, isEmptyBody } from '../../platform/http/body/body-bytes';
import { checkAndTeach } from '../../platform/http/routes/remedies';
import { validateAs } from '../../platform/http/routes/validation';
import { PriceLock } from '../prices/price-lock';
import { Payers } from '../rails/payers';
import { Rails } from '../rails/rails';
import { X402Challenge } from '../rails/x402/challenge/challenge';
import { X402Price, claimedPayer } from '../rails/x402/challenge/x402-price';
import { MissingCredentials, PriceAboveMax } from './calls.errors';
import type { Payer } from '../rails/payer';
import type { PaidCall } from './paid-call';
import type { KnownRoute } from './paid-parts';

/** Finds out what is asked for, who pays and what it costs, and writes nothing. */
@Injectable()
export class CallOpening {
  constructor(
    private readonly rails: Rails,
    private readonly locks: PriceLock,
    private readonly challenge: X402Challenge,
    private readonly listed: X402Price,
    private readonly sanctions: Sanctions,
    private readonly payers: Payers,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The call with its payer and its price, or what to pay when nobody does. */
  open(request: FastifyRequest, reply: FastifyReply, known: KnownRoute): Soon<PaidCall | AppError> {
    return soon(this.quoted(request, reply, known), (call): Soon<PaidCall | AppError> => {
      // The first rail that may pay this route and finds its credential on the call proves who pays.
      const rail = this.rails.claiming(request, call.route.rails);
      if (rail === undefined) return this.unpaid(call);
      return soon(this.payers.paying(rail, call), (payer) => this.owedBy(payer, call));
    });
  }

  /** Comes first, so that a malformed or unpriceable body is a 400, never a 402. */
  private quoted(request: FastifyRequest, reply: FastifyReply, { route, parts }: KnownRoute): Soon<PaidCall> {
    const { pricer } = parts;
    // Crawlers look for paid routes with empty calls: they get a price, not a lesson about the body.
    const probe = isEmptyBody(request) && this.rails.claiming(request) === undefined;
    const quoted = probe
      ? { body: {}, priced: pricer.cheapest(request) }
      : checkAndTeach(request, (sent) => {
          const body = validateAs(route.body, sent);
          return soon(pricer.price(body, request), (priced) => ({ body, priced }));
        });
    return soon(quoted, ({ body, priced }) => ({
      request,
      reply,
      route,
      parts,
      body,
      priced,
      probe,
      fingerprint: fingerprintOf(request),
    }));
  }

  private owedBy(payer: Payer, call: PaidCall): Soon<PaidCall> {
    call.payer = payer;
    // The x402 rail has already checked the signed amount against the price that it quoted.
    call.price ??= this.priceFor(call);
    refuseAboveMax(call, call.price);
    if (payer.key === undefined) return call;
    const use = { route: scopeOf(call), modelId: call.priced.modelId, priceMicro: call.price };
    return soon(this.payers.require(payer, call.request, use), () => call);
  }

  private unpaid(call: PaidCall): Soon<AppError> {
    refuseStrangeBearer(call, this.settings.http.publicUrl);
    this.sanctions.refuseWallet(claimedPayer(call));
    return soon(this.listed.priceOf(call), (price) => {
      refuseAboveMax(call, price);
      return this.challenge.paymentRequired(call, price);
    });
  }

  private priceFor(call: PaidCall): Micro {
    const { payer, body, priced } = call;
    const claimed = claimedPayer(call);
    if (payer?.wallet !== undefined && claimed !== undefined && claimed !== payer.wallet) {
      throw new InvalidRequest('payer names another wallet than the one that signed in.', { param: 'payer' });
    }
    const price = discounted(priced.list, payer?.discountPercent ?? 0, priced.floor);
    return body.quoteId === undefined ? price : this.locks.open(body.quoteId, priced, payer?.wallet);
  }
}

const scopeOf = ({ route: { scope }, priced }: PaidCall): RouteScope | undefined =>
  typeof scope === 'function' ? scope(priced) : scope;

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
