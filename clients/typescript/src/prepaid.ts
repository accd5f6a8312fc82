import { microOf, sureMicro } from './amounts.ts';
import type { Budget, Reservation } from './budget.ts';
import { type ChargeState, LamppostError } from './errors.ts';
import type { Loans } from './loans.ts';
import {
  COSTS_NOTHING,
  type Opened,
  type Paid,
  type Payer,
  costNothing,
  isOver,
  paidBy,
  reservationIdOf,
  wasReplayed,
} from './payer.ts';
import type { Answer, Headers, Request, Sender } from './sender.ts';

/** The service's price rule for texts of wallets: ten thirds of the cost, and at least 2,000 micro-USD. */
const MARKUP_TIMES = 10;
const MARKUP_OVER = 3;
const FLOOR_MICRO = 2_000;

/** Prepaid money at the service: the credits behind a key or a session, or the balance of a wallet. */
export class Prepaid implements Payer {
  constructor(
    private readonly sender: Sender,
    private readonly budget: Budget,
    private readonly credential: () => Promise<Headers>,
    /** The identity of the payer: a function, so that no log shows a credential. */
    private readonly payer: () => string,
    /** Makes keys for routes that do not accept the credential itself; undefined if all routes accept it. */
    private readonly loans?: Loans,
  ) {}

  async buy<Body>(request: Request): Promise<Paid<Body>> {
    const call = await this.withCredential(request);
    if (!this.budget.isLimited) return this.unlimited(request, await this.sender.json<Body>(call));
    return this.within(
      call,
      () => this.priceOf(call),
      ({ micro }) => {
        const headers = { ...call.headers, 'X-Max-Price-Micro': String(micro) };
        return this.sender.json<Body>({ ...call, headers });
      },
    );
  }

  async buyMetered<Body>(request: Request, costMicro: () => Promise<number>): Promise<Paid<Body>> {
    const mostMicro = this.mostFor(costMicro);
    const send = async (most: number) => {
      const { call, end } = await this.metered(request, most);
      try {
        const answer = await this.sender.json<Body>(call);
        await end();
        return answer;
      } catch (error) {
        // If the outcome of the call is unknown, the key must not end, because only a call with the same key can find
        // the outcome. It expires by itself.
        if (isOver(error)) await end();
        throw error;
      }
    };
    if (this.budget.isLimited) return this.within(request, mostMicro, ({ micro }) => send(micro));
    return this.unlimited(request, await send(this.loans === undefined ? 0 : await mostMicro()));
  }

  /** A key of a wallet pays as the wallet: with the service's markup on texts, and at least its floor. */
  private mostFor(costMicro: () => Promise<number>): () => Promise<number> {
    if (this.loans === undefined) return costMicro;
    return async () => Math.max(FLOOR_MICRO, Math.ceil(((await costMicro()) * MARKUP_TIMES) / MARKUP_OVER));
  }

  async open(request: Request, costMicro: () => Promise<number>): Promise<Opened> {
    const mostMicro = this.mostFor(costMicro);
    const reservation = this.budget.isLimited ? await this.reserve(request, mostMicro) : undefined;
    let end = (): Promise<void> => Promise.resolve();
    try {
      const most = reservation?.micro ?? (this.loans === undefined ? 0 : await mostMicro());
      const metered = await this.metered(request, most);
      ({ end } = metered);
      return {
        response: await this.sender.open(metered.call),
        again: () => this.sender.open(metered.call),
        settle: (costMicro, isReplay) => this.settle(request, reservation, costMicro, isReplay),
        end,
      };
    } catch (error) {
      if (isOver(error)) await end();
      await giveUp(reservation, error);
      throw error;
    }
  }

  async decide(idempotencyKey: string, chargeState: ChargeState | undefined): Promise<void> {
    const id = await this.idOf({ headers: { 'Idempotency-Key': idempotencyKey } });
    const reservation = await this.budget.findOpen(id);
    reservation?.leave();
    if (COSTS_NOTHING.has(chargeState)) await reservation?.release();
    if (chargeState === 'charged') await reservation?.confirm(reservation.micro);
    // A call that was counted before, such as an accepted film, changes only by its refund.
    if (chargeState === 'refunded' && reservation === undefined) await this.budget.refund(id);
  }

  private async settle(
    request: Request,
    reservation: Reservation | undefined,
    costMicro: unknown,
    isReplay = false,
  ): Promise<number> {
    const micro = microOf(costMicro, reservation?.micro) ?? reservation?.micro ?? 0;
    if (reservation !== undefined) await reservation.confirm(micro, isReplay);
    else await this.budget.spend(await this.idOf(request), micro, isReplay);
    return micro;
  }

  private async unlimited<Body>(request: Request, answer: Answer<Body>): Promise<Paid<Body>> {
    const paid = paidBy(answer);
    const { refund } = await this.budget.spend(
      await this.idOf(request),
      paid.charge.micro,
      wasReplayed(answer.headers),
    );
    return { ...paid, refund };
  }

  private idOf({ headers }: Pick<Request, 'headers'>): Promise<string> {
    return reservationIdOf(this.sender.baseUrl, headers?.['Idempotency-Key'], this.payer());
  }

  /** Adds the payer to a call that is charged by usage. */
  private async metered(
    request: Request,
    mostMicro: number,
  ): Promise<{ readonly call: Request; readonly end: () => Promise<void> }> {
    if (this.loans === undefined)
      return { call: await this.withCredential(request), end: () => Promise.resolve() };
    const { headers, end } = await this.loans.take(request, mostMicro);
    return { call: { ...request, headers: { ...headers, ...request.headers } }, end };
  }

  /** Reserves the price until the cost is known, once for all repetitions of a call. */
  private async within<Body>(
    request: Request,
    priceOf: () => Promise<number>,
    send: (reservation: Reservation) => Promise<Answer<Body>>,
  ): Promise<Paid<Body>> {
    const reservation = await this.reserve(request, priceOf);
    try {
      const answer = await send(reservation);
      const paid = paidBy(answer, reservation.micro, () => reservation.refund());
      await reservation.confirm(paid.charge.micro, wasReplayed(answer.headers));
      return paid;
    } catch (error) {
      await giveUp(reservation, error);
      throw error;
    }
  }

  private async reserve(request: Request, priceOf: () => Promise<number>): Promise<Reservation> {
    const id = await this.idOf(request);
    return (await this.budget.find(id)) ?? (await this.budget.reserve({ id, micro: await priceOf() }));
  }

  /** Sends a dry run to the route itself, which checks the whole call and charges nothing. */
  private async priceOf(call: Request): Promise<number> {
    const body = { ...call.body, dryRun: true };
    try {
      const headers = await this.credential();
      const known = { idempotencyKey: call.headers?.['Idempotency-Key'] };
      const rehearsal = { ...call, body, headers, isFile: false, has: 'priceMicro', known };
      const { priceMicro } = (await this.sender.json<{ priceMicro: unknown }>(rehearsal)).body;
      return sureMicro(priceMicro, 'a price');
    } catch (error) {
      // The caller asked for no dry run, so the corrected body must not contain `dryRun`.
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

/**
 * After a failed call, releases the reservation if the call certainly cost nothing. Otherwise the money stays reserved.
 */
const giveUp = async (reservation: Reservation | undefined, error: unknown): Promise<void> => {
  if (costNothing(error, reservation?.isJoined)) await reservation?.release();
  else reservation?.leave();
};
