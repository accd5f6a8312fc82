import { Inject, Injectable, Logger } from '@nestjs/common';

import { type Micro, microToJson, smaller } from '#kernel/money';
import { describeError, rememberFailure } from '#platform/http/answers/error-filter';
import type { ChargeDraft, MeasuredUse } from '../charges/charge';
import { CallerLeft } from '../charges/in-doubt.errors';
import { retryDuringOutage } from '#platform/database/retry-during-outage';
import { ArrivedAnswers } from './arrived-answers';
import { showBalance } from './charge-headers';
import { ChargeService, type HeldCharge } from './charge.service';
import { ChargesMetrics } from './charges.metrics';
import { ChargedWork, type Work } from './charged-work';
import type { PaidCall } from './paid-call';
import { StreamedAnswer, type StreamedCharge } from './streamed-answer';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** The work of a call whose price is known only after it. The meter of the work reports the amount to charge. */
@Injectable()
export class WorkByUse {
  private readonly logger = new Logger(WorkByUse.name);

  constructor(
    private readonly charges: ChargeService,
    private readonly charged: ChargedWork,
    private readonly arrivedAnswers: ArrivedAnswers,
    private readonly metrics: ChargesMetrics,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  async run(call: PaidCall, held: HeldCharge, work: Work): Promise<unknown> {
    const { draft } = held;
    call.hold = this.charges.growing(draft);
    const body = await work().catch(async (error: unknown) => {
      if (error instanceof CallerLeft) await this.chargeSoFar(call, draft);
      else await this.charged.release(call, held, error);
      throw error;
    });
    if (body instanceof StreamedAnswer) return this.stream(call, draft, body);
    const { price, use } = await this.measured(call, draft);
    const { state, left, headers } = await this.charges.capture(call, draft, price, body as object, use);
    void call.reply.headers({ ...headers, 'x-charge-state': state, 'x-charge-micro': price.toString() });
    if (held.balance !== undefined) showBalance(call.reply, left);
    this.arrivedAnswers.watch(call.reply, draft.id);
    return body;
  }

  /** The caller has disconnected: the service charges the use so far. */
  private async chargeSoFar(call: PaidCall, draft: ChargeDraft): Promise<void> {
    const { price, use } = await this.measured(call, draft);
    await this.charges.capture(call, draft, price, undefined, use);
  }

  /** Sends the answer piece by piece, and charges the use after the last piece of the work. */
  private async stream(call: PaidCall, draft: ChargeDraft, answer: StreamedAnswer): Promise<undefined> {
    const { sse } = answer;
    sse.open();
    try {
      await answer.send();
      sse.holdBack();
      const { price, use } = await this.measured(call, draft);
      const state = price > 0n ? 'charged' : 'released';
      const ending = answer.ending({ id: draft.id, state, priceMicro: microToJson(price) });
      const { headers } = await this.charges.capture(call, draft, price, answer.kept(ending), use);
      this.arrivedAnswers.watch(call.reply, draft.id);
      const proof = headers?.['payment-response'];
      for (const [n, piece] of ending.entries()) {
        // The proof is an SSE comment, because clients that do not know it skip comments.
        if (proof !== undefined && n === ending.length - 1) sse.remark(`payment-response ${proof}`);
        answer.sendPiece(piece);
      }
    } catch (error) {
      await this.endBroken(call, draft, answer, error);
    }
    sse.end();
    return undefined;
  }

  private async endBroken(
    call: PaidCall,
    draft: ChargeDraft,
    answer: StreamedAnswer,
    error: unknown,
  ): Promise<void> {
    const { publicUrl } = this.settings.http;
    this.logger.warn({ err: error, chargeId: draft.id }, 'A stream broke off.');
    const state = await this.charges.release(draft, error);
    const failure = describeError(answer.failure(error), { requestId: call.request.id, publicUrl });
    rememberFailure(call.request, failure);
    const { body, status } = failure;
    const charge: StreamedCharge = { id: draft.id, state: 'released', priceMicro: 0 };
    const shown = state === 'released' ? { ...body, charge } : body;
    for (const piece of answer.broken(shown, status)) answer.sendPiece(piece);
  }

  /**
   * Reads the price and the use once, because the meter may continue to count. The ledger takes at most what is held, so
   * the hold first grows to the real use, as far as the payer's money goes. The caller must see no more.
   */
  private async measured(
    { meter, hold }: PaidCall,
    { id, rail }: ChargeDraft,
  ): Promise<{ readonly price: Micro; readonly use: MeasuredUse }> {
    if (meter === undefined || hold === undefined)
      throw new Error('A by-use route answers only after it has set the meter of its call.');
    const { price: used, billed, tokens } = meter;
    if (used > hold.held) {
      await retryDuringOutage(() => hold.reach(used)).catch((error: unknown) => {
        this.logger.warn({ err: error, chargeId: id }, 'A hold could not grow to the use of its call.');
      });
    }
    const price = smaller(used, hold.held);
    this.metrics.uncollected(rail, used - price);
    return { price, use: { billed, tokens } };
  }
}
