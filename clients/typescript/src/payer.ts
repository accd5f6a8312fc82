import { Budget } from './budget.ts';
import { type ChargeState, LamppostError } from './errors.ts';
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
  /** What proves who asks, where nothing is paid. */
  credential(): Promise<Headers>;
  /** Sends a call and has it paid, once, however often it has to be sent. */
  buy<Body>(request: Request, sureMicro?: number): Promise<Paid<Body>>;
  /** The same for an answer that is read as it comes. */
  open(request: Request): Promise<Response>;
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

const COSTS_NOTHING: ReadonlySet<ChargeState | undefined> = new Set([
  'none',
  'released',
  'refunded',
  undefined,
]);

/** Keeps what was taken from the budget only for what was, or may have been, paid. */
const within = async <T>(
  budget: Budget,
  taken: number,
  work: () => Promise<T>,
  costOf: (answer: T) => number,
): Promise<T> => {
  try {
    const answer = await work();
    const cost = costOf(answer);
    // Only a cost that can be true gives anything back.
    if (cost >= 0 && cost <= taken) budget.giveBack(taken - cost);
    return answer;
  } catch (error) {
    if (error instanceof LamppostError && COSTS_NOTHING.has(error.chargeState)) budget.giveBack(taken);
    throw error;
  }
};

const paid = <Body>({ body, headers }: Answer<Body>): Paid<Body> => ({ body, charge: chargeOf(headers) });

/** Money that lies with the service: the credits behind a key or a session, or the balance of a wallet. */
export class Prepaid implements Payer {
  constructor(
    private readonly sender: Sender,
    private readonly budget: Budget,
    readonly credential: () => Promise<Headers>,
  ) {}

  async buy<Body>(request: Request): Promise<Paid<Body>> {
    const call = await this.withCredential(request);
    if (!this.budget.isLimited) return paid(await this.sender.json<Body>(call));
    const priceMicro = await this.priceOf(call);
    this.budget.take(priceMicro);
    const capped = { ...call, headers: { ...call.headers, 'X-Max-Price-Micro': String(priceMicro) } };
    const send = async (): Promise<Paid<Body>> => paid(await this.sender.json<Body>(capped));
    return within(this.budget, priceMicro, send, ({ charge }) => charge.micro);
  }

  async open(request: Request): Promise<Response> {
    return this.sender.open(await this.withCredential(request));
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
    /** What a wallet signs in with where nothing is paid. */
    readonly credential: () => Promise<Headers>,
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
      const answer = await within(
        this.budget,
        payment.priceMicro,
        () => send(payment.headers),
        () => payment.priceMicro,
      );
      this.signed.delete(key);
      return answer;
    } catch (error) {
      if (error instanceof LamppostError && COSTS_NOTHING.has(error.chargeState)) this.signed.delete(key);
      throw error;
    }
  }

  open(): Promise<Response> {
    return Promise.reject(new TypeError('Streams cannot be paid per call: use a key, or chat().'));
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
