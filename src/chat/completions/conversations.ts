import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ChargeService } from '../../billing/calls/charge.service';
import { markOf } from '../../billing/calls/earlier-calls';
import type { ChargeDraft } from '../../billing/charges/charge';
import { OPERATION, declareOperation } from '../../billing/charges/operation';
import type { Payer } from '../../billing/rails/payer';
import { Payers } from '../../billing/rails/payers';
import { Catalog, type TextModel } from '../../catalog/catalog';
import { AppError } from '../../kernel/app-error';
import { newId } from '../../kernel/ids';
import { type Micro, usdText } from '../../kernel/money';
import type { Soon } from '../../kernel/soon';
import { fingerprintOf } from '../../platform/http/body/body-bytes';
import { giveBackPlace } from '../../platform/http/limits/address-limits';
import { AnswerLost, ProviderUnavailable } from '../../providers/providers.errors';
import type { ConversationPiece } from '../../providers/text-provider';
import { TextSubmission } from '../text-submission';
import type { CompletionBody } from './completions.dto';
import { CompletionsScreening } from './completions-screening';
import { ConversationImages } from './conversation-images';
import { forwarded, imagesIn } from './forwarded';
import { Meter } from './meter';
import { maxTokensOf, worstCase } from './worst-case';

export interface Conversation {
  readonly draft: ChargeDraft;
  readonly model: TextModel;
  readonly meter: Meter;
  readonly pieces: AsyncIterator<readonly ConversationPiece[]>;
  readonly first: IteratorResult<readonly ConversationPiece[]>;
}

/** When a conversation must end. */
interface Ends {
  /** For whatever reason: nobody is to be waited for any longer. */
  readonly signal: AbortSignal;
  /** Whether its caller went away. */
  readonly hungUp: () => boolean;
}

/** Opens conversations: what comes before the first word of an answer. */
@Injectable()
export class Conversations {
  constructor(
    private readonly catalog: Catalog,
    private readonly submission: TextSubmission,
    private readonly screening: CompletionsScreening,
    private readonly images: ConversationImages,
    private readonly charges: ChargeService,
    private readonly payers: Payers,
  ) {}

  /**
   * Everything that can still be answered with a status: the cheap checks first, then what costs us something, the
   * reserve, and the provider's first word.
   */
  async begin(
    payer: Payer,
    body: CompletionBody,
    request: FastifyRequest,
    reply: FastifyReply,
    ends: Ends,
  ): Promise<Conversation> {
    const model = this.catalog.textModel(body.model);
    const words = forwarded(body);
    const images = imagesIn(body);
    const worst = worstCase(model, body, words, images.length);
    this.images.refuseTooMany(images);
    await this.payers.require(payer, request, {
      route: 'studio',
      modelId: model.id,
      priceMicro: worst.price,
    });
    const draft = draftOf(payer, model, worst.price, request, body.tag);
    if (this.screening.isDear || images.length > 0) await this.charges.requireReserve(draft);
    let sent = words;
    try {
      await this.screening.screen(words, ends.signal);
      if (images.length > 0) {
        sent = forwarded(body, await this.images.take(request, payer.id, images, ends.signal));
      }
    } catch (error) {
      throw error instanceof AppError || !ends.signal.aborted ? error : new ProviderUnavailable(error);
    }
    const left = await this.charges.reserve(draft);
    giveBackPlace(request, reply);
    tellCharge(reply, draft, 'held', draft.price, left);
    const meter = new Meter(model.rates, worst);
    try {
      const begun = await this.submission.submit(model, async (provider, name) => {
        const asked = { model: name, maxTokens: maxTokensOf(body), ourId: draft.id, body: sent };
        const pieces = provider.converse(asked, ends.signal)[Symbol.asyncIterator]();
        return { pieces, first: await pieces.next() };
      });
      return { draft, model, meter, ...begun };
    } catch (error) {
      if (ends.hungUp() && error instanceof AnswerLost) {
        // The provider was asked, and bills us for what it has read.
        await this.charges.capture(draft, meter.price, undefined, meter.billed);
      } else {
        void reply.header('x-charge-state', await this.charges.release(draft));
      }
      throw error instanceof AppError ? error : new ProviderUnavailable(error);
    }
  }
}

/** What a model says, to its end. */
export const eachBatch = async (
  { first, pieces }: Conversation,
  take: (pieces: readonly ConversationPiece[]) => Soon<void>,
): Promise<void> => {
  try {
    for (let next = first; next.done !== true; next = await pieces.next()) {
      const taken = take(next.value);
      if (taken instanceof Promise) await taken;
    }
  } finally {
    await pieces.return?.(); // Who stops listening ends the work upstream, too.
  }
};

/** What the answer says of the money. */
export const tellCharge = (
  reply: FastifyReply,
  draft: ChargeDraft,
  state: string,
  price: Micro,
  left?: Micro,
): void => {
  void reply.headers({
    'x-charge-id': draft.id,
    'x-charge-state': state,
    'x-charge-micro': price.toString(),
    ...(left === undefined
      ? {}
      : { 'x-balance-micro': left.toString(), 'x-balance-remaining': usdText(left) }),
  });
};

const COMPLETION = declareOperation({ name: OPERATION.byUse, sold: 'One chat completion.' });

const draftOf = (
  payer: Payer,
  model: TextModel,
  price: Micro,
  request: FastifyRequest,
  tag: string | undefined,
): ChargeDraft => {
  const mark = markOf({ request, payer });
  return {
    id: newId('ch'),
    rail: payer.rail,
    operation: COMPLETION.name,
    payer: payer.id,
    accountId: payer.ledgerAccount,
    key: payer.key,
    proof: payer.provenBy,
    modelId: model.id,
    price,
    list: price,
    discountPercent: 0,
    fingerprint: fingerprintOf(request),
    mark,
    tag,
  };
};
