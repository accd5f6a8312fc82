import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { IdempotencyInFlight, ReplayExpired, SettlementPending } from '../../billing/calls/calls.errors';
import { Deliveries } from '../../billing/calls/deliveries';
import { EarlierCalls, markOf } from '../../billing/calls/earlier-calls';
import type { ChargeDraft } from '../../billing/charges/charge';
import { OpenCharges } from '../../billing/charges/open-charges';
import type { Payer } from '../../billing/rails/rail';
import { Catalog, type TextModel } from '../../catalog/catalog';
import { UnknownModel } from '../../catalog/catalog.errors';
import { estimatedTokens } from '../../catalog/pricing';
import { AppError } from '../../kernel/app-error';
import { newId } from '../../kernel/ids';
import { type Micro, usdText } from '../../kernel/money';
import { fingerprintOf } from '../../platform/http/body-bytes';
import { Drain } from '../../platform/http/drain';
import { describeError } from '../../platform/http/error-filter';
import { ContentPolicy, PolicyBlocked } from '../../providers/content-policy';
import {
  type ConversationPiece,
  type ConversationRequest,
  ProviderUnavailable,
} from '../../providers/text-provider';
import { TextRoutes } from '../text-routes';
import { mergePieces } from './merge-pieces';
import { SseReply } from './sse-reply';
import { ServiceRestarts } from './studio.errors';
import type { StudioAnswer, StudioBody } from './studio.dto';
import { maxTokensOf, tokensPrice, wordsOf, worstCase } from './worst-case';

const SECONDS_MAX = 300;

interface Conversation {
  readonly draft: ChargeDraft;
  readonly model: TextModel;
  readonly pieces: AsyncIterator<ConversationPiece>;
  readonly first: IteratorResult<ConversationPiece>;
}

/**
 * What an answer has cost so far: by the provider's own counts once they are there, else by what was sent; and never
 * more than was set aside for it.
 */
class Meter {
  private chars = 0;
  private real: { readonly promptTokens: number; readonly completionTokens: number } | undefined;

  constructor(
    private readonly model: TextModel,
    private readonly promptChars: number,
    private readonly most: Micro,
  ) {}

  take(piece: ConversationPiece): void {
    if ('usage' in piece) this.real = piece.usage;
    else this.chars += JSON.stringify(piece.delta['content'] ?? piece.delta['tool_calls'] ?? '').length - 2;
  }

  get usage(): { prompt_tokens: number; completion_tokens: number; total_tokens: number } {
    const prompt = this.real?.promptTokens ?? Number(estimatedTokens(this.promptChars));
    const completion = this.real?.completionTokens ?? Number(estimatedTokens(Math.max(0, this.chars)));
    return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  }

  get price(): Micro {
    const { prompt_tokens, completion_tokens } = this.usage;
    const price = tokensPrice(this.model.rates, prompt_tokens, completion_tokens);
    return price < this.most ? price : this.most;
  }
}

/** The studio's chat: the worst case is set aside, the answer is streamed, and the real use is charged. */
@Injectable()
export class StudioService {
  private readonly logger = new Logger(StudioService.name);

  constructor(
    private readonly catalog: Catalog,
    private readonly routes: TextRoutes,
    private readonly policy: ContentPolicy,
    private readonly charges: OpenCharges,
    private readonly earlier: EarlierCalls,
    private readonly deliveries: Deliveries,
    private readonly drain: Drain,
  ) {}

  /** The whole answer that the same call was given before. A stream can't be given again. */
  async answeredBefore(
    payer: Payer,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<StudioAnswer | undefined> {
    const before = await this.earlier.answerToMarked({
      request,
      payer,
      fingerprint: fingerprintOf(request),
      route: {},
    });
    if (before === undefined) return undefined;
    void reply.headers(before.headers);
    this.deliveries.watch(reply, before.charge.id);
    return before.body as StudioAnswer;
  }

  /** The whole answer at once. */
  async complete(
    payer: Payer,
    body: StudioBody,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<StudioAnswer> {
    let conversation: Conversation;
    try {
      const signal = AbortSignal.timeout(SECONDS_MAX * 1_000);
      conversation = await this.begin(payer, body, request, reply, signal);
    } catch (error) {
      // Another call with the same mark may have come first.
      const lost = error instanceof IdempotencyInFlight || error instanceof ReplayExpired;
      const first = lost ? await this.answeredBefore(payer, request, reply) : undefined;
      if (first === undefined) throw error;
      return first;
    }
    const { draft, model } = conversation;
    const meter = new Meter(model, wordsOf(body).length, draft.price);
    let message: Readonly<Record<string, unknown>> = { role: 'assistant', content: null };
    let finish = 'stop';
    try {
      for await (const piece of rest(conversation)) {
        meter.take(piece);
        if ('usage' in piece) continue;
        message = mergePieces(message, piece.delta);
        finish = piece.finishReason ?? finish;
      }
    } catch (error) {
      void reply.header('x-charge-state', await this.charges.giveBack(draft));
      throw error instanceof AppError ? error : new ProviderUnavailable(error);
    }
    const answer: StudioAnswer = {
      id: draft.id,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1_000),
      model: model.id,
      choices: [{ index: 0, message, finish_reason: finish }],
      usage: meter.usage,
    };
    const { state, left } = await this.charges.close(draft, meter.price, answer);
    this.tellCharge(reply, draft, state, meter.price, left);
    this.deliveries.watch(reply, draft.id);
    return answer;
  }

  /** Piece by piece. Who hangs up pays for what was produced; a provider that breaks off costs nothing. */
  async stream(payer: Payer, body: StudioBody, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const sse = new SseReply(reply, AbortSignal.timeout(SECONDS_MAX * 1_000), this.drain.lastCall);
    const conversation = await this.begin(payer, body, request, reply, sse.over);
    const { draft, model } = conversation;
    const meter = new Meter(model, wordsOf(body).length, draft.price);
    const frame = {
      id: draft.id,
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1_000),
      model: model.id,
    };
    sse.open();
    try {
      await this.passOn(conversation, meter, frame, sse);
      const { state } = await this.charges.close(draft, meter.price);
      if (body.stream_options?.include_usage === true) {
        const charge = { id: draft.id, state, priceMicro: Number(meter.price) };
        await sse.send({ ...frame, choices: [], usage: meter.usage, charge });
      }
      await sse.send('[DONE]');
    } catch (error) {
      this.logger.warn({ err: error, chargeId: draft.id }, 'A stream broke off.');
      await this.charges.giveBack(draft);
      await sse.send(describeError(this.endOf(error), request.id).body);
    }
    sse.end();
  }

  private async passOn(
    conversation: Conversation,
    meter: Meter,
    frame: object,
    sse: SseReply,
  ): Promise<void> {
    try {
      for await (const piece of rest(conversation)) {
        meter.take(piece);
        sse.over.throwIfAborted();
        if ('usage' in piece) continue;
        const choice = { index: 0, delta: piece.delta, finish_reason: piece.finishReason ?? null };
        await sse.send({ ...frame, choices: [choice] });
      }
    } catch (error) {
      if (!sse.hungUp) throw error;
    }
  }

  /** What the reader of a stream is told that broke off. */
  private endOf(error: unknown): AppError {
    if (error instanceof SettlementPending) return error;
    return this.drain.lastCall.aborted ? new ServiceRestarts(error) : new ProviderUnavailable(error);
  }

  /** Everything that can still be answered with a status: checks, the reserve, and the provider's first word. */
  private async begin(
    payer: Payer,
    body: StudioBody,
    request: FastifyRequest,
    reply: FastifyReply,
    signal: AbortSignal,
  ): Promise<Conversation> {
    const model = this.modelOf(body);
    const { price } = worstCase(model, body);
    const verdict = await this.policy.screenText(wordsOf(body));
    if (!verdict.allowed) throw new PolicyBlocked('messages', verdict.category);
    const draft = draftOf(payer, model, price, request);
    const left = await this.charges.open(draft);
    this.tellCharge(reply, draft, 'held', price, left);
    try {
      const begun = await this.routes.first(model, async (provider, name) => {
        const request = {
          model: name,
          maxTokens: maxTokensOf(body),
          reference: draft.id,
          body: passedOn(body),
        };
        const answer = provider.converse(request, signal);
        const pieces = answer[Symbol.asyncIterator]();
        return { pieces, first: await pieces.next() };
      });
      return { draft, model, ...begun };
    } catch (error) {
      void reply.header('x-charge-state', await this.charges.giveBack(draft));
      throw error instanceof AppError ? error : new ProviderUnavailable(error);
    }
  }

  private modelOf({ model }: StudioBody): TextModel {
    const found = model === undefined ? this.catalog.defaultText : this.catalog.text.get(model);
    if (found === undefined) {
      throw new UnknownModel(model ?? '', [...this.catalog.text.keys()], 'model');
    }
    return found;
  }

  private tellCharge(
    reply: FastifyReply,
    draft: ChargeDraft,
    state: string,
    price: Micro,
    left?: Micro,
  ): void {
    void reply.headers({
      'x-charge-id': draft.id,
      'x-charge-state': state,
      'x-charge-micro': price.toString(),
      ...(left === undefined
        ? {}
        : { 'x-balance-micro': left.toString(), 'x-balance-remaining': usdText(left) }),
    });
  }
}

async function* rest({ first, pieces }: Conversation): AsyncGenerator<ConversationPiece> {
  try {
    for (let next = first; next.done !== true; next = await pieces.next()) yield next.value;
  } finally {
    await pieces.return?.(); // Who stops listening ends the work upstream, too.
  }
}

/** What goes to the model as it came; the rest is ours to say. */
const passedOn = (body: StudioBody): ConversationRequest['body'] => {
  const {
    model: _,
    max_tokens: __,
    max_completion_tokens: ___,
    stream: ____,
    stream_options: _____,
    ...passed
  } = body;
  return passed;
};

const draftOf = (payer: Payer, model: TextModel, price: Micro, request: FastifyRequest): ChargeDraft => {
  const mark = markOf({ request });
  return {
    id: newId('ch'),
    rail: payer.rail,
    operation: 'studio',
    payer: payer.id,
    ...(payer.accountId === undefined ? {} : { accountId: payer.accountId }),
    ...(payer.keyId === undefined ? {} : { keyId: payer.keyId }),
    modelId: model.id,
    price,
    list: price,
    discountPercent: 0,
    fingerprint: fingerprintOf(request),
    ...(mark === undefined ? {} : { mark }),
  };
};
