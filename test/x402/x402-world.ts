import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';

import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import type { PaidBody } from '#money/billing/calls/paid-body';
import type { PaidCall, PaidOptions } from '#money/billing/calls/paid-call';
import type { ChargeDraft, Held } from '#money/billing/charges/charge';
import type { Charge } from '#money/billing/charges/charge.entity';
import { ChargeRepository } from '#money/billing/charges/charge.repository';
import { QuoteLock } from '#money/billing/prices/quote-lock';
import type { Settlement } from '#money/billing/rails/rail';
import type { SettledAnswer, WorkOutcome } from '#money/billing/charges/charge';
import { ChannelTerms } from '#money/billing/rails/channel/channel-terms';
import { X402Challenge } from '#money/billing/rails/x402/challenge/challenge';
import type { Facilitator } from '#money/billing/rails/x402/facilitators/facilitator';
import { Facilitators } from '#money/billing/rails/x402/facilitators/facilitators';
import { makeFacilitator } from '#money/billing/rails/x402/facilitators/make-facilitator';
import { X402DriftRepository } from '#money/billing/rails/x402/settlement/x402-drift.repository';
import { PaymentSender } from '#money/billing/rails/x402/settlement/payment-sender';
import { PaymentCheck } from '#money/billing/rails/x402/proof/payment-check';
import { PaymentQuote } from '#money/billing/rails/x402/challenge/payment-quote';
import { PaymentRefusal } from '#money/billing/rails/x402/proof/payment-refusal';
import { X402PaymentRepository } from '#money/billing/rails/x402/settlement/x402-payment.repository';
import { X402Price } from '#money/billing/rails/x402/challenge/x402-price';
import { X402Settlement } from '#money/billing/rails/x402/settlement/x402-settlement';
import { X402Rail } from '#money/billing/rails/x402/x402.rail';
import { WalletTierRepository } from '#money/billing/prices/wallet-tier.repository';
import type { AppError } from '#kernel/app-error';
import { Clock } from '#kernel/clock';
import { newId } from '#kernel/ids';
import { type Micro, micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import { type Settings, readSettings } from '../../src/settings';
import { SigningKeys } from '#platform/config/signing-keys';
import { BackgroundWork } from '#platform/background/background-work';
import { createDataSource } from '#platform/database/data-source';
import { Database } from '#platform/database/database';
import { fingerprintOf, rememberBody } from '#platform/http/body/body-bytes';
import { TextField } from '#platform/http/routes/fields';
import { X402Metrics } from '#money/billing/rails/x402/x402.metrics';
import { type AuthorizationFields, signAuthorization } from '../../tools/chain/test-usdc';
import { expectBooksToBalance } from '../support/books';

class TestBody {
  @TextField({ max: 2_000 }) readonly prompt: string;
  readonly payer?: string;
}

const ROUTE = {
  body: TestBody,
  limit: 'chat',
  runSecondsMax: 60,
  replaySeconds: 600,
  example: { body: { prompt: 'a red fox' }, answer: {} },
} as unknown as PaidOptions;

export type Hex = `0x${string}`;

export interface Wallet {
  readonly key: Hex;
  readonly address: WalletAddress;
}

export const newWallet = (key: Hex = generatePrivateKey()): Wallet => ({
  key,
  address: privateKeyToAccount(key).address.toLowerCase() as WalletAddress,
});

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly url?: string;
  readonly price?: bigint;
  readonly operation?: string;
}

/** A paid call as the guards get it, without an HTTP server. */
export const callOf = (options: CallOptions = {}): PaidCall => {
  const body = options.body ?? { prompt: 'a red fox' };
  const url = options.url ?? '/v1/agent/chat';
  const request = {
    method: 'POST',
    url,
    headers: options.headers ?? {},
    routeOptions: { url },
  } as unknown as FastifyRequest;
  rememberBody(request, Buffer.from(JSON.stringify(body)));
  return {
    request,
    reply: {} as FastifyReply,
    route: { ...ROUTE, operation: { name: options.operation ?? 'chat', sold: 'One thing.' } },
    parts: {} as PaidCall['parts'],
    body: body as unknown as PaidBody,
    priced: {
      modelId: 'lumen-flash',
      mode: 'chat',
      input: 'chars=9',
      list: micro(options.price ?? 10_000n),
      floor: micro(2_000n),
      live: false,
    },
    fingerprint: fingerprintOf(request),
    probe: false,
    attempts: [],
  };
};

export const decodeHeader = (value: string | undefined): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(value ?? '', 'base64').toString('utf8')) as Record<string, unknown>;

export const encodeHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

interface Required {
  readonly accepts: readonly { readonly amount: string; readonly extra: { readonly quote: string } }[];
  readonly resource: object;
  readonly error: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

export const requiredOf = (error: AppError): Required =>
  decodeHeader(error.extras.headers?.['payment-required']) as unknown as Required;

export interface PayOptions extends Partial<AuthorizationFields> {
  /** Changes the payload after signing. */
  readonly tamper?: (payload: Payload) => unknown;
  readonly paymentId?: string;
  readonly plain?: boolean;
}

export interface Payload {
  x402Version: number;
  accepted: Record<string, unknown> & { extra: Record<string, unknown> };
  payload: { signature: string; authorization: Record<string, string> };
  extensions?: Record<string, unknown>;
  resource?: object;
}

/** A process clock that a test may move forward. */
class MovableClock extends Clock {
  private aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }

  putForward(seconds: number): void {
    this.aheadMs = seconds * 1_000;
  }
}

/** The x402 part of one process, on a database that several worlds may share. */
export class X402World {
  readonly rail: X402Rail;
  readonly challenge: X402Challenge;
  readonly tiers: WalletTierRepository;
  readonly payments: X402PaymentRepository;
  readonly charges: ChargeRepository;
  readonly book: X402DriftRepository;
  private readonly price: X402Price;

  private constructor(
    readonly db: Database,
    readonly settings: Settings,
    readonly facilitator: Facilitator,
    readonly clock: MovableClock,
    private readonly close: () => Promise<void>,
  ) {
    const keys = new SigningKeys(settings);
    const quotes = new PaymentQuote(keys, clock, settings);
    this.tiers = new WalletTierRepository(db);
    this.price = new X402Price(new QuoteLock(keys, clock), this.tiers);
    const { price } = this;
    this.payments = new X402PaymentRepository(db);
    const facilitators = new Facilitators([[settings.x402.network, facilitator]]);
    const terms = new ChannelTerms(facilitators, new BackgroundWork(), settings);
    this.challenge = new X402Challenge(quotes, this.payments, facilitators, terms, clock, settings);
    const refusal = new PaymentRefusal(this.challenge, price);
    const checks = new PaymentCheck(quotes, price, refusal, facilitators, clock, settings);
    const settlement = new X402Settlement(
      this.payments,
      facilitators,
      new PaymentSender(this.payments, facilitators),
    );
    this.rail = new X402Rail(
      checks,
      refusal,
      price,
      this.payments,
      settlement,
      facilitators,
      this.tiers,
      settings,
    );
    this.charges = new ChargeRepository(db);
    this.book = new X402DriftRepository(db, this.payments, facilitators);
  }

  static async open(
    url: string,
    variables: Readonly<Record<string, string>> = {},
    make: typeof makeFacilitator = makeFacilitator,
  ): Promise<X402World> {
    Logger.overrideLogger(false);
    const settings = readSettings({ DATABASE_URL: url, SIGNING_SECRET: 'x'.repeat(32), ...variables });
    const source = await createDataSource(url).initialize();
    const db = new Database(source, settings);
    const clock = new MovableClock();
    const facilitator = make({ settings, db, clock, metrics: new X402Metrics(new Registry()) });
    return new X402World(db, settings, facilitator, clock, async () => {
      await db.onApplicationShutdown();
      await source.destroy();
    });
  }

  async stop(): Promise<void> {
    await this.close();
  }

  /** The 402 of an unpaid call. */
  async ask(call: CallOptions = {}): Promise<AppError> {
    const asked = callOf(call);
    return this.challenge.paymentRequired(asked, await this.price.priceOf(asked));
  }

  /** The header of a stock v2 client that signs the offer of a 402. */
  async pay(wallet: Wallet, call: CallOptions = {}, options: PayOptions = {}): Promise<string> {
    const { tamper, paymentId, plain, ...fields } = options;
    const required = requiredOf(await this.ask(call));
    const [accepted] = required.accepts;
    const { authorization, signature } = await signAuthorization(wallet.key, {
      to: this.settings.x402.payTo,
      value: BigInt(accepted!.amount),
      ...fields,
    });
    const payload: Payload = {
      x402Version: 2,
      resource: required.resource,
      accepted: {
        ...accepted,
        extra: { ...accepted!.extra, ...(plain === true && { quote: undefined }) },
      } as unknown as Payload['accepted'],
      payload: {
        signature,
        authorization: {
          from: authorization.from,
          to: authorization.to,
          value: authorization.value.toString(),
          validAfter: authorization.validAfter.toString(),
          validBefore: authorization.validBefore.toString(),
          nonce: authorization.nonce,
        },
      },
      ...(paymentId === undefined
        ? {}
        : { extensions: { 'payment-identifier': { info: { required: false, id: paymentId } } } }),
    };
    return encodeHeader(tamper === undefined ? payload : tamper(payload));
  }

  /** Identifies a call with a payment and its price, as the guards do. */
  async identified(header: string, options: CallOptions = {}): Promise<PaidCall> {
    const call = callOf({ ...options, headers: { 'payment-signature': header, ...options.headers } });
    call.payer = await this.rail.identify(call);
    call.price = call.payer.agreedPrice;
    return call;
  }

  draftOf(call: PaidCall, more: Partial<ChargeDraft> = {}): ChargeDraft {
    return {
      id: newId('ch'),
      rail: 'x402',
      operation: call.route.operation.name,
      payer: call.payer!.id,
      modelId: call.priced.modelId,
      price: call.price!,
      list: call.price! > call.priced.list ? call.price! : call.priced.list,
      discountPercent: call.payer!.discountPercent,
      fingerprint: call.fingerprint,
      ...more,
    };
  }

  /** Identifies and holds. */
  async hold(
    header: string,
    options: CallOptions = {},
  ): Promise<{ call: PaidCall; draft: ChargeDraft; held: Held }> {
    const call = await this.identified(header, options);
    const draft = this.draftOf(call);
    return { call, draft, held: await this.rail.hold(call, draft) };
  }

  settle(call: PaidCall, draft: ChargeDraft): Promise<Settlement> {
    return this.rail.settle(call, draft, answerFor(draft));
  }

  /** Identifies, holds and settles, like a successful call. */
  async buy(header: string, options: CallOptions = {}): Promise<{ id: string; settlement: Settlement }> {
    const { call, draft, held } = await this.hold(header, options);
    if (!held.ok) throw new Error(`The hold was refused: ${held.reason}.`);
    return { id: draft.id, settlement: await this.settle(call, draft) };
  }

  /** Runs the sweep after the lease of a charge has ended. */
  async sweep(work: WorkOutcome = 'done'): Promise<Charge[]> {
    await this.db.rows(
      `update charge set lease_until = now() - interval '1 second' where lease_until is not null`,
    );
    const taken = await this.charges.takeAbandoned(100);
    for (const charge of taken) await this.rail.recover(charge, work);
    return taken;
  }

  async stateOf(chargeId: string): Promise<string | undefined> {
    return (await this.charges.find(chargeId))?.state;
  }

  async payerRow(
    wallet: Wallet,
  ): Promise<{ open: bigint; openCount: number; strikes: number; paidIn: bigint }> {
    const row = await this.db.one<{ open: string; count: number; strikes: number; paid_in: string }>(
      `select open_micro as open, open_count as count, strikes, paid_in_micro as paid_in from x402_payer where payer = $1`,
      [wallet.address],
    );
    return {
      open: BigInt(row?.open ?? 0),
      openCount: row?.count ?? 0,
      strikes: row?.strikes ?? 0,
      paidIn: BigInt(row?.paid_in ?? 0),
    };
  }

  async balanceOf(wallet: Wallet): Promise<Micro> {
    const row = await this.db.one<{ balance: string }>(
      'select balance_micro as balance from ledger_account where id = $1',
      [`wallet:${wallet.address}`],
    );
    return micro(BigInt(row?.balance ?? 0));
  }

  /** Gives a wallet a limited balance in the sandbox; otherwise it is unlimited. */
  async sandboxFunds(wallet: Wallet, amount: bigint): Promise<void> {
    await this.db.rows(
      `insert into sandbox_wallet (wallet, balance_micro) values ($1, $2)
       on conflict (wallet) do update set balance_micro = excluded.balance_micro`,
      [wallet.address, amount],
    );
  }

  /** Both the ledger and the payments balance. */
  async expectBooks(): Promise<void> {
    await expectBooksToBalance(this.db);
    expect(await this.book.drift()).toBe(0n);
  }
}

export const answerFor = ({ id }: ChargeDraft): SettledAnswer => ({
  chargeId: id,
  watched: true,
  replay: { status: 200, sealed: randomBytes(40), seconds: 600 },
});

/** The refusal of a call. Fails if the call succeeds. */
export const refusalOf = async (work: Promise<unknown>): Promise<AppError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown as AppError,
  );
  if (error === undefined) throw new Error('Nothing was refused.');
  return error;
};
