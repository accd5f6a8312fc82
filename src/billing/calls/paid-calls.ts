import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { AppError } from '../../kernel/app-error';
import { type Micro, microToJson, usdText } from '../../kernel/money';
import { ifPresent } from '../../kernel/present';
import { type Soon, firstAnswer, soon } from '../../kernel/soon';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { answerError } from '../../platform/http/answers/error-filter';
import { type Answered, HttpHooks } from '../../platform/http/hooks';
import { giveBackPlace, tellOwnLimit } from '../../platform/http/limits/address-limits';
import { isWhole } from '../../platform/http/body/body-bytes';
import { BodyNotKept } from '../../platform/http/body/body.errors';
import { RateLimits } from '../../platform/http/limits/rate-limits';
import { AlreadyHeld, ChargeService, type HeldCharge } from './charge.service';
import { Rails } from '../rails/rails';
import { IdempotencyInFlight } from '../charges/charges.errors';
import { Deliveries } from './deliveries';
import type { DryRunAnswer } from './dry-run.dto';
import { EarlierCalls, type EarlierAnswer, markOf } from './earlier-calls';
import type { PaidBody } from './paid-body';
import { CallOpening } from './call-opening';
import { CallsUnderway } from './calls-underway';
import type { PaidCall } from './paid-call';
import { PaidRouteParts } from './paid-parts';
import type { Preparer } from './preparer';

/** Whoever lost a race that often is one of many callers with the same mark; their next try may find an answer. */
const HOLD_TRIES = 5;

const withHeaders = (reply: FastifyReply, headers: Readonly<Record<string, string>>): void => {
  void reply.headers(headers);
};

const withBalance = (reply: FastifyReply, balance: Micro | undefined): void => {
  if (balance !== undefined) {
    void reply.header('x-balance-micro', balance.toString()).header('x-balance-remaining', usdText(balance));
  }
};

/**
 * Answers every call of a paid route: holds its price before the work, settles after it succeeds, releases when it surely
 * failed. It stands before the framework's own way to a route (docs/adr/0035): most calls of agents that have not paid yet
 * end at its first step, with the 402 that says what to pay.
 */
@Injectable()
export class PaidCalls implements OnModuleInit {
  private readonly logger = new Logger(PaidCalls.name);

  constructor(
    private readonly hooks: HttpHooks,
    private readonly routes: PaidRouteParts,
    private readonly opening: CallOpening,
    private readonly earlier: EarlierCalls,
    private readonly limits: RateLimits,
    private readonly charges: ChargeService,
    private readonly rails: Rails,
    private readonly deliveries: Deliveries,
    private readonly underway: CallsUnderway,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    this.hooks.beforeRoute('paid call', (request, reply) => this.serve(request, reply));
  }

  private serve(request: FastifyRequest, reply: FastifyReply): Soon<Answered | undefined> {
    const known = this.routes.at(request);
    if (known === undefined) return undefined;
    void reply.header('cache-control', 'no-store');
    return soon(this.opening.open(request, reply, known), (opened) => {
      if (!(opened instanceof AppError)) return this.sell(opened);
      answerError(reply, opened, this.settings.http.publicUrl);
      return 'answered';
    });
  }

  private async sell(call: PaidCall): Promise<Answered> {
    let body: unknown;
    try {
      body = await this.answer(call);
    } finally {
      const { preparer } = call.parts;
      if (preparer !== undefined) await this.discard(call, preparer);
      await this.underway.leave(call);
    }
    void call.reply.send(body);
    return 'answered';
  }

  /** An answer may come before the work that it left in doubt has read all that it was given. */
  private discard({ input, reading }: PaidCall, preparer: Preparer<PaidBody>): Soon<void> {
    if (reading === undefined) return preparer.discard(input);
    void reading
      .then(
        () => preparer.discard(input),
        () => preparer.discard(input),
      )
      .catch((error: unknown) =>
        this.logger.warn({ err: error }, 'What a call worked from stays on the disk.'),
      );
    return undefined;
  }

  private async answer(call: PaidCall): Promise<unknown> {
    const { reply, route } = call;
    if (call.body.dryRun === true) {
      return this.rehearse(call);
    }
    const readying = this.ready(call);
    const before = readying instanceof Promise ? await readying : readying;
    const held = before ?? (await this.holdOrFind(call));
    await this.underway.leave(call);
    if (!('draft' in held)) {
      return this.again(call, held);
    }
    const { draft, balance } = held;
    call.chargeId = draft.id;
    withHeaders(reply, {
      'x-charge-id': draft.id,
      'x-charge-micro': draft.price.toString(),
      'x-charge-state': 'held',
    });
    withBalance(reply, balance);
    if (this.rails.of(draft.rail).isPrepaid) giveBackPlace(call.request, reply);
    return route.answer === 'after-settle' ? this.settleThenAnswer(call, held) : this.run(call, held);
  }

  /** All that comes before the money. An answer where this call is the same as an earlier one. */
  private ready(call: PaidCall): Soon<EarlierAnswer | undefined> {
    return firstAnswer([
      () => this.earlier.answerTo(call),
      () => this.count(call),
      () => this.coverOrFind(call),
      () => (call.parts.preparer?.isDear(call) === true ? this.earlier.enter(call) : undefined),
      () => this.prepare(call, false),
    ]);
  }

  private count({ request, reply, route, payer }: PaidCall): Soon<undefined> {
    return soon(this.limits.count(route.limit, payer!.limitedAs), (headers) => {
      tellOwnLimit(request, reply, headers);
      return undefined;
    });
  }

  /** The money, or the answer of another call with the same mark that won the race for it. */
  private async holdOrFind(call: PaidCall): Promise<HeldCharge | EarlierAnswer> {
    await this.underway.requirePlace(call);
    for (let tries = 0; tries < HOLD_TRIES; tries += 1) {
      let refusal: unknown;
      try {
        return await this.charges.hold(call, markOf(call));
      } catch (error) {
        refusal = error;
      }
      const unpaid = refusal instanceof AppError && refusal.kind === 'payment_required';
      if (!unpaid && !(refusal instanceof AlreadyHeld)) throw refusal;
      // What took the last of the money may have been this very call, sent twice: then it is paid for.
      const first = await this.earlier.answerTo(call);
      if (first !== undefined) return first;
      if (unpaid) throw refusal;
    }
    throw new IdempotencyInFlight();
  }

  /** Cheap before dear: nobody has media fetched, decoded or screened whose money does not cover the call. */
  private coverOrFind(call: PaidCall): Soon<EarlierAnswer | undefined> {
    const whole = isWhole(call.request);
    const isCheap = whole && call.parts.preparer?.isDear(call) !== true;
    return isCheap ? undefined : this.coveredOrFound(call, whole);
  }

  private async coveredOrFound(call: PaidCall, whole: boolean): Promise<EarlierAnswer | undefined> {
    try {
      call.covered = await this.rails.of(call.payer!.rail).requireCover(call, false);
      if (!whole) throw new BodyNotKept(); // The money came after the body had gone by.
      return undefined;
    } catch (error) {
      const unpaid = error instanceof AppError && error.kind === 'payment_required';
      const first = unpaid ? await this.earlier.answerTo(call) : undefined;
      if (first === undefined) throw error;
      return first;
    }
  }

  private async run(call: PaidCall, held: HeldCharge): Promise<unknown> {
    let body: unknown;
    try {
      body = await call.parts.work(call);
    } catch (error) {
      const state = await this.charges.release(held.draft, error);
      void call.reply.header('x-charge-state', state);
      if (state === 'released')
        withBalance(call.reply, await this.rails.of(held.draft.rail).balance(call.payer!));
      throw error;
    }
    // Settling stands outside the try: a settlement in doubt must never look like a failed handler.
    const jobId = (body as { readonly jobId?: string } | null)?.jobId ?? call.jobId;
    await this.settle(call, held, { status: 200, body, jobId });
    this.deliveries.watch(call.reply, held.draft.id);
    return body;
  }

  private async settleThenAnswer(call: PaidCall, held: HeldCharge): Promise<unknown> {
    await this.settle(call, held, undefined);
    call.charge = await this.charges.find(held.draft.id);
    return call.parts.work(call);
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
      giveBackPlace(call.request, reply);
    } catch (error) {
      // What became of the money is what its row says: released, or still nobody knows.
      const charge = await this.charges.find(held.draft.id).catch(() => undefined);
      if (charge !== undefined) void reply.header('x-charge-state', charge.state);
      throw error;
    }
  }

  private async again(call: PaidCall, before: EarlierAnswer): Promise<unknown> {
    withHeaders(call.reply, before.headers);
    giveBackPlace(call.request, call.reply);
    call.chargeId = before.charge.id;
    call.charge = before.charge;
    if (before.body === undefined) {
      return call.parts.work(call);
    }
    void call.reply.status(before.status);
    this.deliveries.watch(call.reply, before.charge.id);
    return before.body;
  }

  private prepare(call: PaidCall, local: boolean): Soon<undefined> {
    return soon(call.parts.preparer?.prepare(call, local), (input) => {
      call.input = input;
      return undefined;
    });
  }

  /** Everything but the run: what is wrong with the call, what it costs and whether the balance covers it. */
  private async rehearse(call: PaidCall): Promise<DryRunAnswer> {
    const { payer, price, priced } = call;
    await this.count(call);
    const rail = this.rails.of(payer!.rail);
    const whole = isWhole(call.request);
    if (rail.isPrepaid || !whole || call.parts.preparer?.isDear(call) === true) {
      call.covered = await rail.requireCover(call, true);
    }
    if (!whole) throw new BodyNotKept();
    await this.prepare(call, true);
    const balance = await rail.balance(payer!);
    if (balance !== undefined) giveBackPlace(call.request, call.reply);
    return {
      dryRun: true,
      modelId: priced.modelId,
      priceMicro: microToJson(price!),
      rail: payer!.rail,
      balanceAfterMicro: ifPresent(balance, (left) => Number(left - price!)),
    };
  }
}
