import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, lastValueFrom, of } from 'rxjs';

import { AppError } from '../../kernel/app-error';
import { deadlineIn } from '../../kernel/deadline';
import { type Micro, microToJson, smaller, usdText } from '../../kernel/money';
import { ifPresent } from '../../kernel/present';
import { type MaybePromise, firstAnswer, whenReady } from '../../kernel/maybe-promise';
import { BackgroundWork } from '../../platform/background/background-work';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { describeError, rememberFailure } from '../../platform/http/answers/error-filter';
import { SseReply } from '../../platform/http/answers/sse-reply';
import { isWhole } from '../../platform/http/body/body-bytes';
import { BodyNotKept } from '../../platform/http/body/body.errors';
import { Drain } from '../../platform/http/drain';
import { lateCallOf } from '../../platform/http/inner-calls';
import { uncountCall, showOwnLimit } from '../../platform/http/limits/address-limits';
import { RateLimits } from '../../platform/http/limits/rate-limits';
import { withFix } from '../../platform/http/routes/body-fix';
import { routeOptionsOf } from '../../platform/http/routes/route';
import type { ChargeDraft, MeasuredUse } from '../charges/charge';
import { CallerLeft } from '../charges/in-doubt.errors';
import { IdempotencyInFlight } from '../charges/repeated-call.errors';
import { Rails } from '../rails/rails';
import { AlreadyHeld, ChargeService, type HeldCharge } from './charge.service';
import { ArrivedAnswers } from './arrived-answers';
import type { DryRunAnswer } from './dry-run.dto';
import { type EarlierAnswer, EarlierCalls, callerKeyOf } from './earlier-calls';
import type { PaidBody } from './paid-body';
import { CallsUnderway } from './calls-underway';
import { type PaidCall, paidCallOf } from './paid-call';
import { PaidRoutes } from './paid-routes';
import type { Preparer } from './preparer';
import { pricedBody } from './priced-body';
import { type KeptStream, StreamedAnswer, type StreamedCharge, sendEvent } from './streamed-answer';

/**
 * The most tries to hold a price against equal calls. After the last try the call fails with a 409, and a retry of its
 * caller may find an answer.
 */
const HOLD_TRIES = 5;
/** The longest time to send a stored stream again. */
const REPLAY_SECONDS_MAX = 60;

/** Runs the route's method. */
type Work = () => Promise<unknown>;

const withHeaders = (reply: FastifyReply, headers: Readonly<Record<string, string>>): void => {
  void reply.headers(headers);
};

const withBalance = (reply: FastifyReply, balance: Micro | undefined): void => {
  if (balance !== undefined) {
    void reply.header('x-balance-micro', balance.toString()).header('x-balance-remaining', usdText(balance));
  }
};

/**
 * Moves the money of a paid call. It holds the price before the work, settles it after success, and releases it if the
 * work certainly failed. The sweep decides a call whose outcome is in doubt.
 */
@Injectable()
export class ChargeInterceptor implements NestInterceptor {
  /**
   * `PaidRoutes` finds this interceptor by the marker. It calls a method directly only if no enhancer comes after this
   * interceptor.
   */
  static readonly isChargeInterceptor = true;
  private readonly logger = new Logger(ChargeInterceptor.name);

  constructor(
    private readonly routes: PaidRoutes,
    private readonly earlier: EarlierCalls,
    private readonly limits: RateLimits,
    private readonly charges: ChargeService,
    private readonly rails: Rails,
    private readonly arrivedAnswers: ArrivedAnswers,
    private readonly drain: Drain,
    private readonly underway: CallsUnderway,
    private readonly background: BackgroundWork,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const call = paidCallOf(context);
    const { method } = this.routes.of(context.getHandler());
    const work: Work =
      method === undefined
        ? () => lastValueFrom(next.handle(), { defaultValue: undefined })
        : async () => method(call);
    try {
      return of(await this.answer(call, work));
    } finally {
      const { preparer } = call.parts;
      if (preparer !== undefined) await this.discard(call, preparer);
      await this.underway.leave(call);
    }
  }

  private async answer(call: PaidCall, work: Work): Promise<unknown> {
    if (call.body.dryRun === true) return this.rehearse(call);
    const readying = this.ready(call);
    const before = readying instanceof Promise ? await readying : readying;
    const held = before ?? (await this.holdOrFind(call));
    await this.underway.leave(call);
    if (!('draft' in held)) return this.replay(call, held, work);
    const { draft, balance } = held;
    const { reply, route } = call;
    call.chargeId = draft.id;
    withHeaders(reply, {
      ...held.headers,
      'x-charge-id': draft.id,
      'x-charge-micro': draft.price.toString(),
      'x-charge-state': 'held',
    });
    withBalance(reply, balance);
    if (this.rails.of(draft.rail).isPrepaid) uncountCall(call.request, reply);
    if (route.answer === 'after-settle') return this.settleThenWork(call, held, work);
    return route.answer === 'by-use'
      ? this.workByUse(call, held, work)
      : this.workThenSettle(call, held, work);
  }

  /** Runs every step before the hold. Returns the earlier answer if an equal call came first. */
  private ready(call: PaidCall): MaybePromise<EarlierAnswer | undefined> {
    return firstAnswer([
      () => this.earlier.answerTo(call),
      () => this.count(call),
      () => this.coverOrFind(call),
      () => (call.parts.preparer?.isCostly(call) === true ? this.earlier.enter(call) : undefined),
      () => this.prepare(call, false),
    ]);
  }

  private count({ request, reply, route, payer }: PaidCall): MaybePromise<undefined> {
    if (lateCallOf(request) !== undefined) return undefined; // The batch limits the pace of its calls.
    if (routeOptionsOf(request).throttle?.payer !== undefined) return undefined; // PayerThrottlerGuard has already counted it.
    return whenReady(this.limits.count(route.limit, payer!.limitedAs), (headers) => {
      showOwnLimit(request, reply, headers);
      return undefined;
    });
  }

  /** Holds the price, or returns the answer of an equal call that was first. */
  private async holdOrFind(call: PaidCall): Promise<HeldCharge | EarlierAnswer> {
    await this.underway.requirePlace(call);
    const entering = this.earlier.sameCall(call);
    const same = entering instanceof Promise ? await entering : entering;
    for (let tries = 0; tries < HOLD_TRIES; tries += 1) {
      let refusal: unknown;
      try {
        return await this.charges.hold(call, callerKeyOf(call), same);
      } catch (error) {
        refusal = error;
      }
      const unpaid = refusal instanceof AppError && refusal.kind === 'payment_required';
      if (!unpaid && !(refusal instanceof AlreadyHeld)) throw refusal;
      // If an equal call has taken the last money, this call is already paid.
      const first = await this.earlier.answerTo(call);
      if (first !== undefined) return first;
      if (unpaid) throw refusal;
    }
    throw new IdempotencyInFlight();
  }

  /**
   * Checks the balance before costly work, so the service fetches, decodes and screens no media for a payer who can't
   * pay the call.
   */
  private coverOrFind(call: PaidCall): MaybePromise<EarlierAnswer | undefined> {
    const whole = isWhole(call.request);
    const isCheap = whole && call.parts.preparer?.isCostly(call) !== true;
    return isCheap ? undefined : this.coveredOrFound(call, whole);
  }

  private async coveredOrFound(call: PaidCall, whole: boolean): Promise<EarlierAnswer | undefined> {
    try {
      call.covered = await this.rails.of(call.payer!.rail).requireCover(call, false);
      if (!whole) throw new BodyNotKept(); // The money arrived after the body was dropped.
      return undefined;
    } catch (error) {
      const unpaid = error instanceof AppError && error.kind === 'payment_required';
      const first = unpaid ? await this.earlier.answerTo(call) : undefined;
      if (first === undefined) throw error;
      return first;
    }
  }

  private async workThenSettle(call: PaidCall, held: HeldCharge, work: Work): Promise<unknown> {
    const body = await this.run(call, held, work);
    // Settling is outside of `run`, because a settlement in doubt must never look like a failed handler.
    const jobId = (body as { readonly jobId?: string } | null)?.jobId ?? call.jobId;
    await this.settle(call, held, { status: 200, body, jobId });
    this.arrivedAnswers.watch(call.reply, held.draft.id);
    return body;
  }

  private async settleThenWork(call: PaidCall, held: HeldCharge, work: Work): Promise<unknown> {
    await this.settle(call, held, undefined);
    call.charge = await this.charges.find(held.draft.id);
    return work();
  }

  /**
   * Runs the work, and releases the hold if the work fails. If the caller of a by-use call disconnects, the service
   * charges the use so far.
   */
  private async run(call: PaidCall, { draft }: HeldCharge, work: Work): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof CallerLeft) {
        const { price, use } = measured(call, draft);
        await this.charges.capture(draft, price, undefined, use);
        throw error;
      }
      const state = await this.charges.release(draft, error);
      void call.reply.header('x-charge-state', state);
      if (state === 'released') withBalance(call.reply, await this.rails.of(draft.rail).balance(call.payer!));
      throw error;
    }
  }

  /** Charges the use that the work has reported. */
  private async workByUse(call: PaidCall, held: HeldCharge, work: Work): Promise<unknown> {
    const body = await this.run(call, held, work);
    if (body instanceof StreamedAnswer) return this.stream(call, held, body);
    const { draft } = held;
    const { price, use } = measured(call, draft);
    const { state, left, headers } = await this.charges.capture(draft, price, body as object, use);
    withHeaders(call.reply, { ...headers, 'x-charge-state': state, 'x-charge-micro': price.toString() });
    if (held.balance !== undefined) withBalance(call.reply, left);
    this.arrivedAnswers.watch(call.reply, draft.id);
    return body;
  }

  private async stream(call: PaidCall, { draft }: HeldCharge, answer: StreamedAnswer): Promise<undefined> {
    const { sse } = answer;
    sse.open();
    try {
      await answer.send();
      sse.holdBack();
      const { price, use } = measured(call, draft);
      const state = price > 0n ? 'charged' : 'released';
      const ending = answer.ending({ id: draft.id, state, priceMicro: microToJson(price) });
      const { headers } = await this.charges.capture(draft, price, answer.kept(ending), use);
      this.arrivedAnswers.watch(call.reply, draft.id);
      const proof = headers?.['payment-response'];
      for (const [n, piece] of ending.entries()) {
        // The proof is an SSE comment, because clients that do not know it skip comments.
        if (proof !== undefined && n === ending.length - 1) sse.remark(`payment-response ${proof}`);
        answer.say(piece);
      }
    } catch (error) {
      const { publicUrl } = this.settings.http;
      this.logger.warn({ err: error, chargeId: draft.id }, 'A stream broke off.');
      const state = await this.charges.release(draft, error);
      const failure = describeError(answer.failure(error), { requestId: call.request.id, publicUrl });
      rememberFailure(call.request, failure);
      const { body } = failure;
      const charge: StreamedCharge = { id: draft.id, state: 'released', priceMicro: 0 };
      answer.say(answer.broken(state === 'released' ? { ...body, charge } : body));
    }
    sse.end();
    return undefined;
  }

  private async settle(
    call: PaidCall,
    held: HeldCharge,
    answer: Parameters<ChargeService['settle']>[2],
  ): Promise<void> {
    const { reply } = call;
    void reply.header('x-charge-state', this.rails.of(held.draft.rail).isPrepaid ? 'held' : 'settling');
    try {
      const headers = await this.charges.settle(call, held, answer);
      withHeaders(reply, { ...headers, 'x-charge-state': 'charged' });
      uncountCall(call.request, reply);
    } catch (error) {
      // The charge's row has the state of the money: released, or still in doubt.
      const charge = await this.charges.find(held.draft.id).catch(() => undefined);
      if (charge !== undefined) void reply.header('x-charge-state', charge.state);
      throw error;
    }
  }

  /** Sends the stored answer of an equal call. */
  private async replay(call: PaidCall, before: EarlierAnswer, work: Work): Promise<unknown> {
    const { reply } = call;
    withHeaders(reply, before.headers);
    uncountCall(call.request, reply);
    call.chargeId = before.charge.id;
    call.charge = before.charge;
    if (before.body === undefined) return work();
    this.arrivedAnswers.watch(reply, before.charge.id);
    if (call.route.answer === 'by-use' && isKeptStream(before.body))
      return this.streamAgain(reply, before.body);
    void reply.status(before.status);
    return before.body;
  }

  private async streamAgain(reply: FastifyReply, { events, named = false }: KeptStream): Promise<undefined> {
    const sse = new SseReply(reply, deadlineIn(REPLAY_SECONDS_MAX), this.drain.lastCall);
    sse.open();
    for (const event of events) {
      sendEvent(sse, event, named);
      await sse.room();
    }
    sse.end();
    return undefined;
  }

  private prepare(call: PaidCall, local: boolean): MaybePromise<undefined> {
    const { preparer } = call.parts;
    if (preparer === undefined) return undefined;
    const prepared = withFix(
      call.request,
      () => preparer.prepare(call, local),
      (sent) => this.tryOut(call, preparer, sent),
    );
    return whenReady(prepared, (input) => {
      call.input = input;
      return undefined;
    });
  }

  /** Prepares the call with a proposed fix of its body, as a dry run, and discards the prepared input at once. */
  private async tryOut(call: PaidCall, preparer: Preparer<PaidBody>, sent: unknown): Promise<void> {
    const { body, priced } = await pricedBody(call.route, call.parts.pricer, call.request, sent);
    await preparer.discard(await preparer.prepare({ ...call, body, priced }, true));
  }

  /**
   * Work in doubt may still read its input after the answer, so the service discards the input only after that work.
   */
  private discard({ input, reading }: PaidCall, preparer: Preparer<PaidBody>): MaybePromise<void> {
    if (reading === undefined) return preparer.discard(input);
    this.background.detach('Deleting what calls worked from', async () => {
      await reading.catch(() => undefined);
      await preparer.discard(input);
    });
    return undefined;
  }

  /** Answers a dry run: checks the limits, the balance and the input, but holds and runs nothing. */
  private async rehearse(call: PaidCall): Promise<DryRunAnswer> {
    const { payer, price, priced } = call;
    await this.count(call);
    const rail = this.rails.of(payer!.rail);
    const whole = isWhole(call.request);
    if (rail.isPrepaid || !whole || call.parts.preparer?.isCostly(call) === true) {
      call.covered = await rail.requireCover(call, true);
    }
    if (!whole) throw new BodyNotKept();
    await this.prepare(call, true);
    const balance = await rail.balance(payer!);
    if (balance !== undefined) uncountCall(call.request, call.reply);
    return {
      dryRun: true,
      modelId: priced.modelId,
      priceMicro: microToJson(price!),
      rail: payer!.rail,
      balanceAfterMicro: ifPresent(balance, (left) => Number(left - price!)),
    };
  }
}

/**
 * Reads the price and the use once, because the meter may continue to count. The ledger takes at most the hold, so the
 * caller must see no more.
 */
const measured = (
  { meter }: PaidCall,
  { price: held }: ChargeDraft,
): { readonly price: Micro; readonly use: MeasuredUse } => {
  if (meter === undefined)
    throw new Error('A by-use route answers only after it has set the meter of its call.');
  const { price, billed, tokens } = meter;
  return { price: smaller(price, held), use: { billed, tokens } };
};

const isKeptStream = (body: unknown): body is KeptStream =>
  Array.isArray((body as { readonly events?: unknown } | null)?.events);
