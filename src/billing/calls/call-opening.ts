import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { accountLinks } from '../../accounts/account-links';
import { discounted } from '../../catalog/tiers';
import { Sanctions } from '../../identity/sanctions';
import { KeyPermission } from '../../keys/key-permission';
import type { RouteScope } from '../../keys/key-scopes';
import { type AppError, InvalidRequest } from '../../kernel/app-error';
import { type Micro, micro } from '../../kernel/money';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { answerError } from '../../platform/http/answers/error-filter';
import { fingerprintOf, isEmptyBody } from '../../platform/http/body/body-bytes';
import { HttpHooks } from '../../platform/http/hooks';
import { checkAndTeach } from '../../platform/http/routes/remedies';
import { validateAs } from '../../platform/http/routes/validation';
import { PriceLock } from '../prices/price-lock';
import { Rails } from '../rails/rails';
import { X402Challenge } from '../rails/x402/challenge/challenge';
import { X402Price, claimedPayer } from '../rails/x402/challenge/x402-price';
import { MissingCredentials, PriceAboveMax } from './calls.errors';
import { type PaidCall, openCall } from './paid-call';
import { type KnownRoute, PaidRouteParts } from './paid-parts';

/**
 * Finds out what is asked for, who pays and what it costs, and writes nothing. It stands before the framework: most calls
 * of agents that have not paid yet end here, with the 402 that says what to pay.
 */
@Injectable()
export class CallOpening implements OnModuleInit {
  constructor(
    private readonly hooks: HttpHooks,
    private readonly routes: PaidRouteParts,
    private readonly rails: Rails,
    private readonly locks: PriceLock,
    private readonly challenge: X402Challenge,
    private readonly listed: X402Price,
    private readonly sanctions: Sanctions,
    private readonly permission: KeyPermission,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.hooks.beforeRoute('paid call', (request, reply, done) => {
      const known = this.routes.at(request);
      if (known === undefined) {
        done();
        return;
      }
      this.open(request, reply, known).then((unpaid) => {
        if (unpaid !== undefined) answerError(reply, unpaid, this.settings.http.publicUrl);
        // eslint-disable-next-line promise/no-callback-in-promise
        else done();
      }, done);
    });
  }

  /** What to pay, when nobody does. */
  private async open(
    request: FastifyRequest,
    reply: FastifyReply,
    known: KnownRoute,
  ): Promise<AppError | undefined> {
    void reply.header('cache-control', 'no-store');
    const call = await this.quoted(request, reply, known);
    // The first rail that may pay this route and finds its credential on the call proves who pays.
    const rail = this.rails.claiming(request, call.route.rails);
    if (rail === undefined) return this.unpaid(call);
    call.payer = await rail.identify(call);
    this.sanctions.refuseWallet(call.payer.wallet);
    // The x402 rail has already checked the signed amount against the price that it quoted.
    call.price ??= this.priceFor(call);
    refuseAboveMax(call, call.price);
    const { payer, price, priced } = call;
    if (payer.key !== undefined) {
      const route = scopeOf(call);
      await this.permission.require(payer.key, request, {
        route,
        modelId: priced.modelId,
        priceMicro: price,
      });
    }
    openCall(call);
    return undefined;
  }

  /** Comes first, so that a malformed or unpriceable body is a 400, never a 402. */
  private async quoted(
    request: FastifyRequest,
    reply: FastifyReply,
    { route, parts }: KnownRoute,
  ): Promise<PaidCall> {
    const { pricer } = parts;
    // Crawlers look for paid routes with empty calls: they get a price, not a lesson about the body.
    const probe = isEmptyBody(request) && this.rails.claiming(request) === undefined;
    const { body, priced } = probe
      ? { body: {}, priced: pricer.cheapest(request) }
      : await checkAndTeach(request, async (sent) => {
          const valid = validateAs(route.body, sent);
          return { body: valid, priced: await pricer.price(valid, request) };
        });
    return { request, reply, route, parts, body, priced, probe, fingerprint: fingerprintOf(request) };
  }

  private async unpaid(call: PaidCall): Promise<AppError> {
    refuseStrangeBearer(call, this.settings.http.publicUrl);
    this.sanctions.refuseWallet(claimedPayer(call));
    const price = await this.listed.priceOf(call);
    refuseAboveMax(call, price);
    return this.challenge.paymentRequired(call, price);
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
