import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ChargeService } from '../../billing/calls/charge.service';
import { Deliveries } from '../../billing/calls/deliveries';
import { EarlierCalls } from '../../billing/calls/earlier-calls';
import { IdempotencyInFlight, ReplayExpired, SettlementPending } from '../../billing/charges/charges.errors';
import type { Payer } from '../../billing/rails/payer';
import { AppError } from '../../kernel/app-error';
import { deadlineIn } from '../../kernel/deadline';
import { SETTINGS, type Settings } from '../../platform/config/settings';
import { describeError } from '../../platform/http/answers/error-filter';
import { fingerprintOf } from '../../platform/http/body/body-bytes';
import { Drain } from '../../platform/http/drain';
import { giveBackPlace } from '../../platform/http/limits/address-limits';
import { ProviderUnavailable } from '../../providers/providers.errors';
import type { CompletionAnswer, CompletionBody } from './completions.dto';
import { ServiceRestarts } from './completions.errors';
import { type Conversation, Conversations, eachBatch, tellCharge } from './conversations';
import { MergedMessage } from './merge-pieces';
import type { Meter } from './meter';
import { SseReply } from '../../platform/http/answers/sse-reply';

const SECONDS_MAX = 300;

/** The studio's chat: the worst case is set aside, the answer is streamed, and the real use is charged. */
@Injectable()
export class CompletionsService {
  private readonly logger = new Logger(CompletionsService.name);

  constructor(
    private readonly conversations: Conversations,
    private readonly charges: ChargeService,
    private readonly earlier: EarlierCalls,
    private readonly deliveries: Deliveries,
    private readonly drain: Drain,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** The whole answer that the same call was given before. A stream can't be given again. */
  async answeredBefore(
    payer: Payer,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<CompletionAnswer | undefined> {
    const before = await this.earlier.answerToMarked({
      request,
      payer,
      fingerprint: fingerprintOf(request),
      route: {},
    });
    if (before === undefined) return undefined;
    giveBackPlace(request, reply);
    void reply.headers(before.headers);
    this.deliveries.watch(reply, before.charge.id);
    return before.body as CompletionAnswer;
  }

  /** The whole answer at once. */
  async complete(
    payer: Payer,
    body: CompletionBody,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<CompletionAnswer> {
    let conversation: Conversation;
    const time = deadlineIn(SECONDS_MAX);
    try {
      // Who goes away may ask again for the answer, which is kept for him.
      conversation = await this.conversations.begin(payer, body, request, reply, {
        signal: time,
        hungUp: () => false,
      });
    } catch (error) {
      // Another call with the same mark may have come first.
      const lost = error instanceof IdempotencyInFlight || error instanceof ReplayExpired;
      const first = lost ? await this.answeredBefore(payer, request, reply) : undefined;
      if (first === undefined) throw error;
      return first;
    }
    const { draft, model, meter } = conversation;
    const merged = new MergedMessage();
    let finish = 'stop';
    try {
      await eachBatch(conversation, (pieces) => {
        for (const piece of pieces) {
          meter.take(piece);
          if ('usage' in piece) continue;
          merged.add(piece.delta);
          finish = piece.finishReason ?? finish;
        }
      });
      refuseNothing(meter, finish);
    } catch (error) {
      // What our own limit ends was made for the caller all the same: he gets it, and pays for it.
      if (!time.aborted || !meter.hasWords) {
        void reply.header('x-charge-state', await this.charges.release(draft));
        throw error instanceof AppError ? error : new ProviderUnavailable(error);
      }
      finish = 'length';
    }
    const answer: CompletionAnswer = {
      id: draft.id,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1_000),
      model: model.id,
      choices: [{ index: 0, message: merged.message, finish_reason: finish }],
      usage: meter.usage,
    };
    const { state, left } = await this.charges.capture(draft, meter.price, answer, meter.billed);
    tellCharge(reply, draft, state, meter.price, left);
    this.deliveries.watch(reply, draft.id);
    return answer;
  }

  /** Piece by piece. Who hangs up pays for what was sent and produced; a provider that breaks off costs nothing. */
  async stream(
    payer: Payer,
    body: CompletionBody,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const time = deadlineIn(SECONDS_MAX);
    const sse = new SseReply(reply, time, this.drain.lastCall);
    const ends = { signal: sse.over, hungUp: () => sse.hungUp };
    const conversation = await this.conversations.begin(payer, body, request, reply, ends);
    const { draft, model, meter } = conversation;
    const frame = new Frame(draft.id, model.id);
    sse.open();
    try {
      await this.passOn(conversation, frame, sse, time);
      sse.holdBack();
      const { state } = await this.charges.capture(draft, meter.price, undefined, meter.billed);
      if (body.stream_options?.include_usage === true) {
        const charge = { id: draft.id, state, priceMicro: Number(meter.price) };
        sse.add(frame.with({ choices: [], usage: meter.usage, charge }));
      }
      sse.add('[DONE]');
    } catch (error) {
      const { publicUrl } = this.settings.http;
      this.logger.warn({ err: error, chargeId: draft.id }, 'A stream broke off.');
      await this.charges.release(draft);
      sse.add(JSON.stringify(describeError(this.endOf(error), { requestId: request.id, publicUrl }).body));
    }
    sse.end();
  }

  private async passOn(
    conversation: Conversation,
    frame: Frame,
    sse: SseReply,
    time: AbortSignal,
  ): Promise<void> {
    const { meter } = conversation;
    let finish = 'stop';
    try {
      await eachBatch(conversation, (pieces) => {
        // What has come was made, whether or not somebody still hears it.
        for (const piece of pieces) meter.take(piece);
        sse.over.throwIfAborted();
        for (const piece of pieces) {
          if ('usage' in piece) continue;
          finish = piece.finishReason ?? finish;
          sse.add(frame.withChoice(piece.delta, piece.finishReason));
        }
        return sse.room();
      });
      refuseNothing(meter, finish);
    } catch (error) {
      if (sse.hungUp) return;
      // What our own limit ends was given, and is paid for.
      if (!time.aborted || !meter.hasWords || this.drain.lastCall.aborted) throw error;
      sse.add(frame.withChoice({}, 'length'));
    }
  }

  /** What the reader of a stream is told that broke off. */
  private endOf(error: unknown): AppError {
    if (error instanceof SettlementPending) return error;
    return this.drain.lastCall.aborted ? new ServiceRestarts(error) : new ProviderUnavailable(error);
  }
}

/** What every chunk of a stream says alike is written once. */
class Frame {
  private readonly head: string;

  constructor(id: string, model: string) {
    const created = Math.floor(Date.now() / 1_000);
    this.head = JSON.stringify({ id, object: 'chat.completion.chunk', created, model }).slice(0, -1);
  }

  with(fields: object): string {
    return `${this.head},${JSON.stringify(fields).slice(1)}`;
  }

  withChoice(delta: object, finish: string | undefined): string {
    const [said, reason] = [JSON.stringify(delta), JSON.stringify(finish ?? null)];
    return `${this.head},"choices":[{"index":0,"delta":${said},"finish_reason":${reason}}]}`;
  }
}

/** A model that ends without a word has not answered; one whose limit ended it while it thought has. */
const refuseNothing = (meter: Meter, finish: string): void => {
  if (!meter.hasWords && finish !== 'length') throw new ProviderUnavailable(new Error('It said nothing.'));
};
