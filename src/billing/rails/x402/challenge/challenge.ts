import { Inject, Injectable } from '@nestjs/common';

import type { AppError } from '../../../../kernel/app-error';
import { Clock } from '../../../../kernel/clock';
import { type Micro, usdText } from '../../../../kernel/money';
import { type MaybePromise, whenReady } from '../../../../kernel/maybe-promise';
import { type WalletAddress, parseWallet } from '../../../../kernel/wallet-address';
import { SETTINGS, type Settings } from '../../../../platform/config/settings';
import type { PayableCall } from '../../payable-call';
import { walletAccount } from '../../../ledger/account-id';
import { routeExtensions, signInExtension } from './challenge-extensions';
import { Facilitator } from '../facilitators/facilitator';
import { PaymentQuote } from './payment-quote';
import {
  type Requirement,
  type Resource,
  encodeBefore,
  encodeHeader,
  maxTimeoutSeconds,
  requirementOf,
  v1RequirementsOf,
} from './requirements';
import { FundsShort, InvalidPayment, PaymentRequired } from '../x402.errors';
import { X402PaymentRepository } from '../settlement/x402-payment.repository';
import { claimedPayer } from './x402-price';

const CODES = {
  PAYMENT_REQUIRED: PaymentRequired,
  INVALID_PAYMENT: InvalidPayment,
  INSUFFICIENT_FUNDS: FundsShort,
};

/** The fault of a sent payment, if there was one. */
export interface ChallengeProblem {
  readonly code: keyof typeof CODES;
  readonly message: string;
  /** The short reason for x402 clients; the message if absent. */
  readonly reason?: string;
  /** Further headers, such as the proof of a failed settlement. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with the price and the requirements, for x402 clients of version 2 (header) and 1 (body). */
@Injectable()
export class X402Challenge {
  constructor(
    private readonly quotes: PaymentQuote,
    private readonly payments: X402PaymentRepository,
    private readonly facilitator: Facilitator,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** A price below list is the tier of one wallet, `tierOf`, and only that wallet may pay it. */
  paymentRequired(
    call: PayableCall,
    price: Micro,
    problem?: ChallengeProblem,
    tierOf: WalletAddress | undefined = claimedPayer(call),
  ): MaybePromise<AppError> {
    const message = this.textOf(price, problem);
    const requirement = this.requirementOf(call, price, price < call.priced.list ? tierOf : undefined);
    const resource = this.resourceOf(call);
    return whenReady(this.signInOf(call, resource.url), (signIn) => {
      const required = {
        x402Version: 2,
        error: problem?.reason ?? message,
        resource: { ...resource, serviceName: 'Lamppost' },
        accepts: [requirement],
      };
      const { extensions, encoded } = routeExtensions(call.route);
      const header =
        signIn === undefined
          ? encodeBefore(required, encoded)
          : encodeHeader({ ...required, extensions: { ...extensions, ...signIn } });
      return new CODES[problem?.code ?? 'PAYMENT_REQUIRED'](message, {
        headers: { 'payment-required': header, 'cache-control': 'no-store', ...problem?.headers },
        links: { topUp: `${this.settings.http.publicUrl}/v1/agent/x402/top-up` },
        body: { x402Version: 1, accepts: v1RequirementsOf(requirement, resource) },
      });
    });
  }

  private textOf(price: Micro, problem: ChallengeProblem | undefined): string {
    const say =
      problem?.message ??
      `This call costs $${usdText(price)}. Pay it with x402, an API key or a wallet balance.`;
    return this.facilitator.isPlay
      ? `${say} This is a sandbox: pay with test wallets only, no real money is taken.`
      : say;
  }

  private requirementOf(call: PayableCall, price: Micro, tierOf: WalletAddress | undefined): Requirement {
    const timeout = maxTimeoutSeconds(call.route.runSecondsMax);
    return requirementOf(this.settings.x402, price, timeout, this.quotes.seal(call, price, tierOf));
  }

  private resourceOf({ request, route }: PayableCall): Resource {
    const path = request.url.split('?', 1)[0] ?? '/';
    const sandbox = this.facilitator.isPlay ? ' Sandbox: test wallets only.' : '';
    return {
      url: this.settings.http.publicUrl + path,
      description: route.operation.sold + sandbox,
      mimeType: 'application/json',
    };
  }

  /** Only for a wallet with a balance here, on a route that accepts it. */
  private signInOf(
    call: PayableCall,
    resourceUrl: string,
  ): MaybePromise<Readonly<Record<string, unknown>> | undefined> {
    const wallet = claimedPayer(call) ?? namedWallet(call);
    const rails = call.route.rails;
    const walletMayPay = rails === undefined || rails.includes('wallet');
    if (!walletMayPay || wallet === undefined) return undefined;
    return whenReady(this.payments.holdsBalance(walletAccount(wallet)), (holds) =>
      holds
        ? signInExtension(resourceUrl, this.domain, this.settings.x402.network, this.clock.now())
        : undefined,
    );
  }

  /** Clients refuse to sign for a domain other than the host of the service, so this is the host of the address. */
  private get domain(): string {
    return new URL(this.settings.http.publicUrl).host;
  }
}

const namedWallet = ({ request }: PayableCall): WalletAddress | undefined =>
  parseWallet(String(request.headers['x-wallet-address'] ?? ''));
