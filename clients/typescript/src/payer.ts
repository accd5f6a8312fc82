import type { Budget } from './budget.ts';
import { type ChargeState, LamppostError } from './errors.ts';
import type { Loans } from './loans.ts';
import type { Charge } from './medium.ts';
import type { Answer, Headers, Request, Sender } from './sender.ts';
import { type Signer, payFor } from './wallet.ts';

/** An answer that was paid for. */
export interface Paid<Body> {
  readonly body: Body;
  readonly charge: Charge;
}

/** How the calls of a client are paid. */
export interface Payer {
  /** Sends a call and has it paid, once, however often it has to be sent. */
  buy<Body>(request: Request, sureMicro?: number): Promise<Paid<Body>>;
  /** The same for what is billed by what comes of it, `mostMicro` at most. */
  buyMetered<Body>(request: Request, mostMicro: () => Promise<number>): Promise<Paid<Body>>;
  /** The same for an answer that is read as it comes. */
  open(request: Request, mostMicro: () => Promise<number>): Promise<Opened>;
}

/** An answer that is still to be read. */
export interface Opened {
  readonly response: Response;
  /** Told what it cost when it says so. */
  settle(micro: number): void;
  /** Told when nobody reads it any more. */
  end(): Promise<void>;
}

const number = (headers: globalThis.Headers, name: string): number | undefined => {
  const text = headers.get(name);
  return text === null ? undefined : Number(text);
};

const chargeOf = (headers: globalThis.Headers): Charge => {
  const balanceMicro = number(headers, 'x-balance-micro');
  const charge = { id: headers.get('x-charge-id') ?? '', micro: number(headers, 'x-charge-micro') ?? 0 };
  return balanceMicro === undefined ? charge : { ...charge, balanceMicro };
};

const COSTS_NOTHING: ReadonlySet<ChargeState> = new Set(['none', 'released', 'refunded']);

/**
 * Whether a call that failed has surely cost nothing. What says so of a key that was used before says nothing of the call
 * that used it; and what stands before the service, which says no charge state, does not know what became of the call.
 */
export const costNothing = (error: unknown): boolean =>
  error instanceof LamppostError &&
  !error.code.startsWith('IDEMPOTENCY_') &&
  (error.chargeState === undefined ? error.status < 500 : COSTS_NOTHING.has(error.chargeState));

const paid = <Body>({ body, headers }: Answer<Body>): Paid<Body> => ({ body, charge: chargeOf(headers) });

/** Money that lies with the service: the credits behind a key or a session, or the balance of a wallet. */
export class Prepaid implements Payer {
  /** What was taken from the budget for calls of which nobody knows yet what they cost, by their Idempotency-Key. */
  private readonly taken = new Map<string, number>();

  constructor(
    private readonly sender: Sender,
    private readonly budget: Budget,
    private readonly credential: () => Promise<Headers>,
    /** What pays instead of the credential where only keys are taken; undefined for whoever has one of those. */
    private readonly loans?: Loans,
  ) {}

  async buy<Body>(request: Request): Promise<Paid<Body>> {
    const call = await this.withCredential(request);
    if (!this.budget.isLimited) return paid(await this.sender.json<Body>(call));
    const send = async (priceMicro: number): Promise<Paid<Body>> => {
      const headers = { ...call.headers, 'X-Max-Price-Micro': String(priceMicro) };
      return paid(await this.sender.json<Body>({ ...call, headers }));
    };
    return this.within(call, () => this.priceOf(call), send);
  }

  async buyMetered<Body>(request: Request, mostMicro: () => Promise<number>): Promise<Paid<Body>> {
    const send = async (most: number): Promise<Paid<Body>> => {
      const { call, end } = await this.metered(request, most);
      try {
        const answer = await this.sender.json<Body>(call);
        await end();
        return paid(answer);
      } catch (error) {
        // Of which nobody knows what became, whoever makes it again under the same mark is answered by the same key alone.
        if (costNothing(error) || request.signal?.aborted === true) await end();
        throw error;
      }
    };
    return this.needsMost ? this.within(request, mostMicro, send) : send(0);
  }

  async open(request: Request, mostMicro: () => Promise<number>): Promise<Opened> {
    const taken = this.needsMost ? await mostMicro() : 0;
    this.budget.take(taken);
    let end = (): Promise<void> => Promise.resolve();
    try {
      const metered = await this.metered(request, taken);
      ({ end } = metered);
      const settle = (micro: number): void => this.budget.settle(taken, micro);
      return { response: await this.sender.open(metered.call), settle, end };
    } catch (error) {
      await end();
      if (costNothing(error)) this.budget.giveBack(taken);
      throw error;
    }
  }

  private get needsMost(): boolean {
    return this.budget.isLimited || this.loans !== undefined;
  }

  /** A call that costs what comes of it, with what pays for it. */
  private async metered(
    request: Request,
    mostMicro: number,
  ): Promise<{ readonly call: Request; readonly end: () => Promise<void> }> {
    if (this.loans === undefined)
      return { call: await this.withCredential(request), end: () => Promise.resolve() };
    const { headers, end } = await this.loans.take(request, mostMicro);
    return { call: { ...request, headers: { ...headers, ...request.headers } }, end };
  }

  /** Takes the price once for all repetitions of a call, and keeps it until it is known what the call has cost. */
  private async within<Body>(
    { headers }: Request,
    priceOf: () => Promise<number>,
    send: (priceMicro: number) => Promise<Paid<Body>>,
  ): Promise<Paid<Body>> {
    const key = headers?.['Idempotency-Key'] ?? '';
    let priceMicro = this.taken.get(key);
    if (priceMicro === undefined) {
      priceMicro = await priceOf();
      this.budget.take(priceMicro);
      this.taken.set(key, priceMicro);
    }
    try {
      const answer = await send(priceMicro);
      if (this.taken.delete(key)) this.budget.settle(priceMicro, answer.charge.micro);
      return answer;
    } catch (error) {
      if (costNothing(error) && this.taken.delete(key)) this.budget.giveBack(priceMicro);
      throw error;
    }
  }

  /** Asks the route itself, which checks all of the call and charges nothing. */
  private async priceOf(call: Request): Promise<number> {
    const body = { ...call.body, dryRun: true };
    try {
      const headers = await this.credential();
      return (await this.sender.json<{ priceMicro: number }>({ ...call, body, headers })).body.priceMicro;
    } catch (error) {
      // The caller asked for no dry run, so the body that would have been right is none.
      if (error instanceof LamppostError && error.fix !== undefined) {
        delete (error.fix as { dryRun?: boolean }).dryRun;
      }
      throw error;
    }
  }

  private async withCredential(request: Request): Promise<Request> {
    return { ...request, headers: { ...(await this.credential()), ...request.headers } };
  }
}

const METERED =
  "What is billed by its tokens cannot be paid per call in USDC: use a key, pay: 'balance', or chat().";
/** What is signed for one call where nobody has set a limit: as stock clients of x402 do. */
const SIGNED_MICRO_MAX = 1_000_000;

interface Signed {
  readonly headers: Headers;
  readonly priceMicro: number;
}

/** USDC for each call. A call that broke off is sent again with the payment that was signed for it, never with a new one. */
export class PerCall implements Payer {
  /** By the Idempotency-Key of the call. */
  private readonly signed = new Map<string, Signed>();

  constructor(
    private readonly sender: Sender,
    private readonly budget: Budget,
    private readonly signer: Signer,
    private readonly assets: readonly string[],
  ) {}

  /** `sureMicro` is what whoever calls has said that it costs. */
  async buy<Body>(request: Request, sureMicro = SIGNED_MICRO_MAX): Promise<Paid<Body>> {
    const send = async (more: Headers = {}): Promise<Paid<Body>> =>
      paid(await this.sender.json<Body>({ ...request, headers: { ...request.headers, ...more } }));
    const key = request.headers?.['Idempotency-Key'] ?? '';
    const payment = this.signed.get(key) ?? (await this.sign(send, sureMicro));
    if ('body' in payment) return payment;
    this.signed.set(key, payment);
    try {
      const answer = await send(payment.headers);
      this.signed.delete(key);
      return answer;
    } catch (error) {
      if (costNothing(error) && this.signed.delete(key)) this.budget.giveBack(payment.priceMicro);
      throw error;
    }
  }

  buyMetered(): Promise<never> {
    return Promise.reject(new TypeError(METERED));
  }

  open(): Promise<never> {
    return Promise.reject(new TypeError(METERED));
  }

  /** Asks without a payment what the call costs. One that costs nothing is answered at once. */
  private async sign<Body>(send: () => Promise<Paid<Body>>, sureMicro: number): Promise<Signed | Paid<Body>> {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof LamppostError) || error.status !== 402) throw error;
      return payFor(error, this.signer, (price) => this.budget.take(price, sureMicro), this.assets);
    }
  }
}
