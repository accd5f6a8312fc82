import { Inject, Injectable } from '@nestjs/common';

import type { AppError } from '#kernel/app-error';
import { Clock } from '#kernel/clock';
import { type Micro, usdText } from '#kernel/money';
import { type WalletAddress, parseWallet } from '#kernel/wallet-address';
import type { PayableCall } from '../../payable-call';
import { walletAccount } from '#money/billing/ledger/account-id';
import { ChannelTerms } from '../../channel/channel-terms';
import { endsOf, routeExtensions, signInExtension } from './challenge-extensions';
import { type Offer, challengeHeader } from './challenge-header';
import { Facilitators } from '../facilitators/facilitators';
import { paysByX402, paymentChallenge } from '../mpp/payment-challenge';
import { PaymentQuote } from './payment-quote';
import {
  type Requirement,
  type Resource,
  maxTimeoutSeconds,
  requirementOf,
  realmOf,
  v1RequirementsOf,
} from './requirements';
import { FundsShort, InvalidPayment, PaymentRequired } from '../x402.errors';
import { X402PaymentRepository } from '../settlement/x402-payment.repository';
import { claimedPayer } from './x402-price';
import { SETTINGS } from '#platform/config/settings';
import { networkIn } from '#money/networks/networks';
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
  readonly resource: Resource;
  readonly signIn: Readonly<Record<string, unknown>> | undefined;
}

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

  constructor(
    private readonly quotes: PaymentQuote,
    private readonly payments: X402PaymentRepository,
    private readonly facilitators: Facilitators,
    private readonly channels: ChannelTerms,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: HttpSettings & X402Settings,
  ) {
    this.domain = realmOf(settings);
  }

  /** A price below list belongs to the tier of one wallet, `tierOf`, and only that wallet may pay it. */
  async paymentRequired(
    call: PayableCall,
    price: Micro,
    problem?: ChallengeProblem,
    tierOf: WalletAddress | undefined = claimedPayer(call),
  ): Promise<AppError> {
    const resource = this.resourceOf(call);
    const accepts = await this.offersFor(call, price, price < call.priced.list ? tierOf : undefined, problem);
    const signIn = await this.signInOf(call, resource.url);
    return this.answer(call, price, { accepts, resource, signIn }, problem);
  }

  private answer(
    call: PayableCall,
    price: Micro,
    { accepts, resource, signIn }: Offered,
    problem: ChallengeProblem | undefined,
  ): AppError {
    const message = this.textOf(price, problem);
    const head = {
      x402Version: 2,
      error: problem?.reason ?? problem?.message ?? `This call costs $${usdText(price)}.`,
      resource: { ...resource, serviceName: 'Lamppost' },
    };
    const extensions = routeExtensions(call.route);
    const ends = signIn === undefined ? extensions.ends : endsOf({ ...extensions.short, ...signIn }, signIn);
    const others = { ...this.mppOf(call, accepts), ...problem?.headers };
    const { header, isWhole } = challengeHeader(head, accepts, ends, others);
    return new CODES[problem?.code ?? 'PAYMENT_REQUIRED'](message, {
      headers: {
        'payment-required': header,
        'cache-control': 'no-store',
        ...others,
      },
      links: { topUp: `${this.settings.http.publicUrl}/v1/agent/x402/top-up` },
      body: {
        x402Version: 1,
        accepts: accepts.flatMap((offer) => (isExact(offer) ? v1RequirementsOf(offer, resource) : [])),
        extensions: extensions.whole,
        ...(isWhole ? {} : { offers: accepts }),
      },
    });
  }

  /**
   * Repeats the first offer as an MPP challenge. MPP clients take the first challenge that they can answer, so a second
   * network would only cost bytes. A client that pays by the offers of x402 gets no challenge.
   */
  private mppOf({ request }: PayableCall, [first]: readonly Offer[]): Readonly<Record<string, string>> {
    return first !== undefined && isExact(first) && !paysByX402(request.headers)
      ? { 'www-authenticate': paymentChallenge(first, this.domain, this.clock.now()) }
      : {};
  }

  private textOf(price: Micro, problem: ChallengeProblem | undefined): string {
    const say =
      problem?.message ??
      `This call costs $${usdText(price)}. Pay it with x402, an API key or a wallet balance.`;
    return this.facilitators.isPlay
      ? `${say} This is a sandbox: pay with test wallets only, no real money is taken.`
      : say;
  }

  /** Offers for this call alone come before offers by channel, so clients that take the first offer work unchanged. */
  private async offersFor(
    call: PayableCall,
    price: Micro,
    tierOf: WalletAddress | undefined,
    problem: ChallengeProblem | undefined,
  ): Promise<readonly Offer[]> {
    const { rails, runSecondsMax } = call.route;
    const mayPay = (rail: string): boolean => rails === undefined || rails.includes(rail);
    const timeout = maxTimeoutSeconds(runSecondsMax);
    const { networks } = this.settings.x402;
    const first = problem?.network === undefined ? undefined : networkIn(this.settings.x402, problem.network);
    const ordered = first === undefined ? networks : [first, ...networks.filter((one) => one !== first)];
    const exact = ordered.map((network) =>
      requirementOf(network, price, timeout, this.quotes.seal(call, price, tierOf, network)),
    );
    const offers = mayPay('x402') ? exact : [];
    if (!mayPay('channel')) return offers;
    const byChannel = await Promise.all(
      exact.map((offer) =>
        this.channels.offer(offer, offer.network === first?.network ? problem?.channel : undefined),
      ),
    );
    return [...offers, ...byChannel.flat()];
  }

  private resourceOf({ request, route }: PayableCall): Resource {
    const path = request.url.split('?', 1)[0] ?? '/';
    const sandbox = this.facilitators.isPlay ? ' Sandbox: test wallets only.' : '';
    return {
      url: this.settings.http.publicUrl + path,
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
