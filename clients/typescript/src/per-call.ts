import type { Budget, Reservation } from './budget.ts';
import { LamppostError } from './errors.ts';
import type { Payable } from './payable.ts';
import { type CallLimits, type Paid, type Payer, costNothing, paidBy } from './payer.ts';
import type { Answer, Headers, Request, Sender } from './sender.ts';
import { type Signer, draftFor, sign } from './wallet.ts';

const METERED =
  "What is billed by its tokens cannot be paid per call in USDC: use a key, pay: 'balance', or chat().";
/** The most that one signature pays if the caller sets no limit, as in stock x402 clients. */
const SIGNED_MICRO_MAX = 1_000_000;

/** The number of paid calls that a client can repeat with the same payment. */
const KEPT_MAX = 1_000;

interface SignedCall {
  readonly headers: Headers;
  readonly reservation: Reservation;
}

/**
 * Pays USDC for each call. If the connection breaks, the client sends the call again with the same signed payment,
 * never with a new one.
 */
export class PerCall implements Payer {
  /** The signed payment, or the answer of a free call, by the call's Idempotency-Key. */
  readonly #signed = new Map<string, Promise<SignedCall | Answer<unknown>>>();

  /** The newest paid calls, whose payments are kept. */
  readonly #paid = new Set<string>();

  /** This is a private field of JavaScript, so that no log shows the signer, which may contain its key. */
  readonly #signer: Signer;

  constructor(
    private readonly sender: Sender,
    private readonly budget: Budget,
    signer: Signer,
    private readonly payable: Payable,
  ) {
    this.#signer = signer;
  }

  async buy<Body>(request: Request, limits: CallLimits = {}): Promise<Paid<Body>> {
    const send = (more: Headers = {}): Promise<Answer<Body>> =>
      this.sender.json<Body>({ ...request, headers: { ...request.headers, ...more } });
    const key = request.headers?.['Idempotency-Key'] ?? '';
    const signing = this.#signed.get(key) ?? this.sign(send, request, limits);
    this.#signed.set(key, signing);
    const forget = (): void => {
      if (this.#signed.get(key) === signing) this.#signed.delete(key);
    };
    try {
      const payment = await signing;
      if ('body' in payment) {
        forget();
        return paidBy(payment as Answer<Body>);
      }
      const { headers, reservation } = payment;
      const answer = paidBy(await send(headers), reservation.micro);
      // A repetition sends the same payment, so it is signed and counted once.
      this.#paid.add(key);
      const [oldest] = this.#paid;
      if (this.#paid.size > KEPT_MAX) {
        this.#paid.delete(oldest!);
        this.#signed.delete(oldest!);
      }
      // The whole price counts as spent, because the service can take a signed payment even if its answer names a lower
      // cost.
      await reservation.confirm(reservation.micro);
      return answer;
    } catch (error) {
      // A payment that was signed and sent stays reserved, because the service may still take it after any answer.
      if (!(await isSigned(signing)) || costNothing(error)) forget();
      throw error;
    }
  }

  buyMetered(): Promise<never> {
    return Promise.reject(new TypeError(METERED));
  }

  open(): Promise<never> {
    return Promise.reject(new TypeError(METERED));
  }

  /** Does nothing: only the chain proves whether somebody has taken a signed payment. */
  decide(): Promise<void> {
    return Promise.resolve();
  }

  /** Asks for the price without a payment. A free call gets its answer at once. */
  private async sign<Body>(
    send: () => Promise<Answer<Body>>,
    { signal }: Request,
    limits: CallLimits,
  ): Promise<SignedCall | Answer<Body>> {
    let refusal: LamppostError;
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof LamppostError) || error.status !== 402) throw error;
      refusal = error;
    }
    const draft = draftFor(refusal, this.#signer.address, this.payable);
    const { micro, payment } = draft;
    const reservation = await this.budget.reserve({
      id: payment.nonce,
      micro,
      limits: this.limitsOf(limits),
      payment,
    });
    try {
      const headers = await sign(draft, this.#signer);
      signal?.throwIfAborted();
      return { headers, reservation };
    } catch (error) {
      // Nothing was sent.
      await reservation.release();
      throw error;
    }
  }

  /** The smallest of all limits; a dollar if there is none. */
  private limitsOf({ maxPriceMicro, knownMicro }: CallLimits): readonly number[] {
    const isUnlimited = maxPriceMicro === undefined && !this.budget.limitsCalls;
    return [maxPriceMicro, knownMicro, isUnlimited ? SIGNED_MICRO_MAX : undefined].filter(
      (one) => one !== undefined,
    );
  }
}

const isSigned = (signing: Promise<SignedCall | Answer<unknown>>): Promise<boolean> =>
  signing.then(
    (payment) => !('body' in payment),
    () => false,
  );
