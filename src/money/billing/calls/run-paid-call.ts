import { Injectable } from '@nestjs/common';

import { AppError } from '#kernel/app-error';
import { uncountCall } from '#platform/http/limits/address-limits';
import { IdempotencyInFlight } from '../charges/repeated-call.errors';
import { Admission } from './admission';
import { AlreadyHeld, ChargeService, type HeldCharge } from './charge.service';
import { CallsUnderway } from './calls-underway';
import { ChargedWork, type Work } from './charged-work';
import { showBalance } from './charge-headers';
import { type EarlierAnswer, EarlierCalls, callerKeyOf } from './earlier-calls';
import type { PaidCall } from './paid-call';
import { Preparation } from './preparation';
import { Replay } from './replay';
import { WorkByUse } from './work-by-use';

/**
 * The most tries to hold a price against equal calls. After the last try the call fails with a 409, and a retry of its
 * caller may find an answer.
 */
const HOLD_TRIES = 5;

/**
 * The way of every paid call, after the guards have priced it and proven its payer. Nothing is held before
 * `holdOrFind`, and nothing is charged before the work has an answer.
 */
@Injectable()
export class RunPaidCall {
  constructor(
    private readonly earlier: EarlierCalls,
    private readonly underway: CallsUnderway,
    private readonly admission: Admission,
    private readonly preparation: Preparation,
    private readonly charges: ChargeService,
    private readonly charged: ChargedWork,
    private readonly byUse: WorkByUse,
    private readonly replay: Replay,
  ) {}

  async run(call: PaidCall, work: Work): Promise<unknown> {
    const earlier = await this.earlier.answerTo(call);
    if (earlier !== undefined) {
      this.admission.admitAgain(call, earlier.charge);
      return this.replay.send(call, earlier, work);
    }

    await this.admission.admit(call);
    const meanwhile = (await this.coverOrFind(call)) ?? (await this.enterOrFind(call));
    if (meanwhile !== undefined) return this.replay.send(call, meanwhile, work);

    await this.preparation.prepare(call, false);
    const held = await this.holdOrFind(call);
    await this.underway.leave(call);
    if ('charge' in held) return this.replay.send(call, held, work);

    const { draft, balance, headers, isPrepaid } = held;
    call.chargeId = draft.id;
    void call.reply.headers({
      ...headers,
      'x-charge-id': draft.id,
      // The header of a stream is sent before its charge is known, so a client must count the most.
      'x-charge-micro': (call.most ?? draft.price).toString(),
      'x-charge-state': 'held',
    });
    showBalance(call.reply, balance);
    if (isPrepaid) uncountCall(call.request, call.reply);
    switch (call.route.answer) {
      case 'after-settle':
        return this.charged.settleThenWork(call, held, work);
      case 'by-use':
        return this.byUse.run(call, held, work);
      default:
        return this.charged.workThenSettle(call, held, work);
    }
  }

  /**
   * Checks the balance before costly work, so the service fetches, decodes and screens no media for a payer who can't
   * pay the call. If an equal call has taken the last money, this call is already paid.
   */
  private async coverOrFind(call: PaidCall): Promise<EarlierAnswer | undefined> {
    try {
      await this.admission.requireFunds(call);
      return undefined;
    } catch (error) {
      const first = isUnpaid(error) ? await this.earlier.answerTo(call) : undefined;
      if (first === undefined) throw error;
      return first;
    }
  }

  /** Lists a call with costly preparation, so that its retry finds it. */
  private async enterOrFind(call: PaidCall): Promise<EarlierAnswer | undefined> {
    return this.preparation.isCostly(call) ? this.earlier.enter(call) : undefined;
  }

  /** Holds the price, or returns the answer of an equal call that was first. */
  private async holdOrFind(call: PaidCall): Promise<HeldCharge | EarlierAnswer> {
    await this.underway.requireEntry(call);
    const same = await this.earlier.sameCall(call);
    for (let tries = 0; tries < HOLD_TRIES; tries += 1) {
      try {
        return await this.charges.hold(call, callerKeyOf(call), same);
      } catch (error) {
        const unpaid = isUnpaid(error);
        if (!unpaid && !(error instanceof AlreadyHeld)) throw error;
        const first = await this.earlier.answerTo(call);
        if (first !== undefined) return first;
        if (unpaid) throw error;
      }
    }
    throw new IdempotencyInFlight();
  }
}

const isUnpaid = (error: unknown): boolean => error instanceof AppError && error.kind === 'payment_required';
