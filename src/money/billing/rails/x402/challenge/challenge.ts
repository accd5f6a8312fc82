import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

import type { AppError } from '#kernel/app-error';
import { Clock } from '#kernel/clock';
import { keepText } from '#kernel/json-text';
import { type Micro, usdText } from '#kernel/money';
import { type WalletAddress, parseWallet } from '#kernel/wallet-address';
import type { PayableCall, PayableRoute } from '../../payable-call';
import { walletAccount } from '#money/billing/ledger/account-id';
import { ChannelTerms, type Terms } from '../../channel/channel-terms';
import { endsOf, routeExtensions, signInExtension } from './challenge-extensions';
import { type Offer, challengeHeader } from './challenge-header';
import { Facilitators } from '../facilitators/facilitators';
import { chargeOf, paysByX402, paymentChallenge } from '../mpp/payment-challenge';
import { PaymentQuote } from './payment-quote';
import { QuotedText } from './quoted-text';
import {
  type Requirement,
  type Resource,
  encodeBefore,
  maxTimeoutSeconds,
  requirementOf,
  realmOf,
  v1RequirementsOf,
} from './requirements';
import { FundsShort, InvalidPayment, PaymentRequired } from '../x402.errors';
import { X402PaymentRepository } from '../settlement/x402-payment.repository';
import { claimedPayer } from './x402-price';
import { SETTINGS } from '#platform/config/settings';
import { pathOf } from '#platform/http/routes/route';
import type { X402Network } from '#money/networks/networks';
import type { HttpSettings } from '#platform/http/http.settings';
import type { X402Settings } from '../x402.settings';

const CODES = {
  PAYMENT_REQUIRED: PaymentRequired,
  INVALID_PAYMENT: InvalidPayment,
  INSUFFICIENT_FUNDS: FundsShort,
};

const isExact = (offer: Offer): offer is Requirement => offer.scheme === 'exact';

/** The parts of a challenge that differ from call to call. */
interface Offered {
  readonly accepts: readonly Offer[];
  readonly terms: readonly (Terms | undefined)[];
  readonly resource: Resource;
  readonly signIn: Readonly<Record<string, unknown>> | undefined;
}

/** The texts of a challenge, without its quotes. */
interface Form {
  readonly route: PayableRoute;
  readonly terms: readonly (Terms | undefined)[];
  readonly message: string;
  readonly open: QuotedText;
  readonly end: string;
  /** Whether the header has all offers. Otherwise the body has them. */
  readonly isWhole: boolean;
  readonly offers: QuotedText;
  /** The charge of MPP, if the client gets one. */
  readonly charge: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

const FORMS_MAX = 1_000;
const FORM_MS = 60_000;

/** The fault of a sent payment, if there was one. */
export interface ChallengeProblem {
  readonly code: keyof typeof CODES;
  readonly message: string;
  /** The short reason for x402 clients; by default the message. */
  readonly reason?: string;
  /** The network of the sent payment. Clients take the first offer, so the offers of this network come first. */
  readonly network?: string | undefined;
  /** Further fields for the offer by channel on `network`, such as the channel's true totals. */
  readonly channel?: Readonly<Record<string, unknown>>;
  /** Further headers, such as the proof of a failed settlement. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with the price and the requirements, for x402 clients of version 2 (header) and 1 (body). */
@Injectable()
export class X402Challenge {
  /**
   * Clients refuse to sign for a domain that is not the host of the service, so the domain is the host of `publicUrl`.
   */
  private readonly domain: string;
  private readonly links: Readonly<Record<string, string>>;
  private readonly forms = new LRUCache<string, Form>({ max: FORMS_MAX, ttl: FORM_MS });

  constructor(
    private readonly quotes: PaymentQuote,
    private readonly payments: X402PaymentRepository,
    private readonly facilitators: Facilitators,
    private readonly channels: ChannelTerms,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: HttpSettings & X402Settings,
  ) {
    this.domain = realmOf(settings);
    this.links = { topUp: `${settings.http.publicUrl}/v1/agent/x402/top-up` };
  }

  /** A price below list belongs to the tier of one wallet, `tierOf`, and only that wallet may pay it. */
  async paymentRequired(
    call: PayableCall,
    price: Micro,
    problem?: ChallengeProblem,
    tierOf: WalletAddress | undefined = claimedPayer(call),
  ): Promise<AppError> {
    const networks = this.networksFor(problem);
    const wallet = price < call.priced.list ? tierOf : undefined;
    const quotes = networks.map((network) => this.quotes.seal(call, price, wallet, network));
    const form = await this.formFor(call, price, quotes, problem);
    const headers: Record<string, string> = {
      'payment-required': encodeBefore(form.open.with(quotes), form.end),
      'cache-control': 'no-store',
      ...problem?.headers,
    };
    if (form.charge !== undefined)
      headers['www-authenticate'] = paymentChallenge(form.charge, quotes[0]!, this.expiryOf(call));
    const offers = form.isWhole ? {} : { offers: JSON.parse(form.offers.with(quotes)) as unknown };
    return new CODES[problem?.code ?? 'PAYMENT_REQUIRED'](form.message, {
      headers,
      links: this.links,
      body: { ...form.body, ...offers },
    });
  }

  /** The texts of a challenge. Without a problem and a sign-in, all calls with this price and these terms share them. */
  private async formFor(
    call: PayableCall,
    price: Micro,
    quotes: readonly string[],
    problem: ChallengeProblem | undefined,
  ): Promise<Form> {
    const resource = this.resourceOf(call);
    const signIn = await this.signInOf(call, resource.url);
    const terms = await this.termsFor(call);
    const isShared = problem === undefined && signIn === undefined;
    const key = `${resource.url} ${price} ${paysByX402(call.request.headers)}`;
    const known = isShared ? this.forms.get(key) : undefined;
    if (known?.route === call.route && known.terms.every((one, at) => one === terms[at])) return known;
    const accepts = await this.offersFor(call, price, quotes, terms, problem);
    const form = this.formOf(call, price, quotes, { accepts, terms, resource, signIn }, problem);
    if (isShared) this.forms.set(key, form);
    return form;
  }

  private formOf(
    call: PayableCall,
    price: Micro,
    quotes: readonly string[],
    { accepts, terms, resource, signIn }: Offered,
    problem: ChallengeProblem | undefined,
  ): Form {
    const head = {
      x402Version: 2,
      error: problem?.reason ?? problem?.message ?? `This call costs $${usdText(price)}.`,
      resource: { ...resource, serviceName: 'Lamppost' },
    };
    const extensions = routeExtensions(call.route);
    const ends = signIn === undefined ? extensions.ends : endsOf({ ...extensions.short, ...signIn }, signIn);
    const charge = this.chargeIn(call, accepts);
    const mpp: Readonly<Record<string, string>> =
      charge === undefined
        ? {}
        : { 'www-authenticate': paymentChallenge(charge, quotes[0]!, this.expiryOf(call)) };
    const { open, end, isWhole } = challengeHeader(head, accepts, ends, { ...mpp, ...problem?.headers });
    return {
      route: call.route,
      terms,
      message: this.textOf(price, problem),
      open: new QuotedText(open, quotes),
      end,
      isWhole,
      offers: new QuotedText(JSON.stringify(accepts), quotes),
      charge,
      body: {
        x402Version: 1,
        accepts: keepText(
          accepts.flatMap((offer) => (isExact(offer) ? v1RequirementsOf(offer, resource) : [])),
        ),
        extensions: extensions.whole,
      },
    };
  }

  /**
   * The first offer as a charge of MPP. MPP clients take the first challenge that they can answer, so a second network
   * would only cost bytes. A client that pays by the offers of x402 gets no challenge.
   */
  private chargeIn({ request }: PayableCall, [first]: readonly Offer[]): string | undefined {
    return first !== undefined && isExact(first) && !paysByX402(request.headers)
      ? chargeOf(first, this.domain)
      : undefined;
  }

  private expiryOf({ route }: PayableCall): Date {
    return new Date(this.clock.now().getTime() + maxTimeoutSeconds(route.runSecondsMax) * 1_000);
  }

  private textOf(price: Micro, problem: ChallengeProblem | undefined): string {
    const text =
      problem?.message ??
      `This call costs $${usdText(price)}. Pay it with x402, an API key or a wallet balance.`;
    return this.facilitators.isPlay
      ? `${text} This is a sandbox: pay with test wallets only, no real money is taken.`
      : text;
  }

  /** The network of a sent payment comes first. */
  private networksFor(problem: ChallengeProblem | undefined): readonly X402Network[] {
    const { networks } = this.settings.x402;
    const first = networks.filter(({ network }) => network === problem?.network);
    return first.length === 0 ? networks : [...first, ...networks.filter((one) => one !== first[0])];
  }

  /** The terms of channels on each network, for a call that a channel may pay. */
  private async termsFor({ route: { rails } }: PayableCall): Promise<readonly (Terms | undefined)[]> {
    if (rails !== undefined && !rails.includes('channel')) return [];
    return Promise.all(this.settings.x402.networks.map(({ network }) => this.channels.current(network)));
  }

  /** Offers for this call alone come before offers by channel, so clients that take the first offer work unchanged. */
  private async offersFor(
    call: PayableCall,
    price: Micro,
    quotes: readonly string[],
    terms: readonly (Terms | undefined)[],
    problem: ChallengeProblem | undefined,
  ): Promise<readonly Offer[]> {
    const { rails, runSecondsMax } = call.route;
    const timeout = maxTimeoutSeconds(runSecondsMax);
    const exact = this.networksFor(problem).map((network, at) =>
      requirementOf(network, price, timeout, quotes[at]),
    );
    const offers = rails === undefined || rails.includes('x402') ? exact : [];
    if (terms.length === 0) return offers;
    const byChannel = await Promise.all(
      exact.map((offer) =>
        this.channels.offer(offer, offer.network === problem?.network ? problem.channel : undefined),
      ),
    );
    return [...offers, ...byChannel.flat()];
  }

  private resourceOf({ request, route }: PayableCall): Resource {
    const sandbox = this.facilitators.isPlay ? ' Sandbox: test wallets only.' : '';
    return {
      url: this.settings.http.publicUrl + pathOf(request),
      description: route.operation.sold + sandbox,
      mimeType: 'application/json',
    };
  }

  /** Only a wallet with a prepaid balance gets the sign-in offer, and only on a route that the balance may pay. */
  private async signInOf(
    call: PayableCall,
    resourceUrl: string,
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    const wallet = claimedPayer(call) ?? namedWallet(call);
    const rails = call.route.rails;
    const walletMayPay = rails === undefined || rails.includes('wallet');
    if (!walletMayPay || wallet === undefined) return undefined;
    if (!(await this.payments.holdsBalance(walletAccount(wallet)))) return undefined;
    const networks = this.settings.x402.networks.map(({ network }) => network);
    return signInExtension(resourceUrl, this.domain, networks, this.clock.now());
  }
}

const namedWallet = ({ request }: PayableCall): WalletAddress | undefined =>
  parseWallet(String(request.headers['x-wallet-address'] ?? ''));
