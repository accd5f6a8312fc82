import { Injectable } from '@nestjs/common';

import type { PaidBody } from '#money/billing/calls/paid-body';
import type { PaidCall } from '#money/billing/calls/paid-call';
import { CallerLeft } from '#money/billing/charges/in-doubt.errors';
import type { TextModel } from '#models/catalog/catalog-models';
import { eachUntilEither } from '#kernel/abort';
import { AppError } from '#kernel/app-error';
import { AnswerLost, ProviderUnavailable, WorkGivenUp } from '#models/providers/providers.errors';
import type { Micro } from '#kernel/money';
import { showIgnored } from '#platform/http/answers/ignored-header';
import { type ImageCopies, NO_IMAGES } from '#models/conversation/sent-body';
import type { ConversationPiece } from '#models/providers/text-provider';
import { AnswerScreening } from '../answer-screening';
import { TextSubmission } from '../text-submission';
import { conversationOf } from '../compatible/conversation.pricer';
import { Meter } from './meter';
import { OutputHold, tokensFor } from './output-hold';

/** A call of any of the compatible routes. */
export type ConversationCall = PaidCall<PaidBody, ImageCopies>;

/** A conversation that was sent to a model. */
export interface RunningConversation {
  readonly id: string;
  readonly model: TextModel;
  /** The model's name in the call: its id or an alias. */
  readonly name: string;
  readonly meter: Meter;
  readonly hold: OutputHold;
  /** Resolves with the first piece. Before it, the failover may try the next route. */
  readonly answer: Promise<BegunAnswer>;
}

interface BegunAnswer extends Pieces {
  /** Records the vendor's cost, once the answer has ended. */
  readonly spent: () => void;
}

interface Pieces {
  readonly pieces: AsyncIterator<readonly ConversationPiece[]>;
  readonly first: IteratorResult<readonly ConversationPiece[]>;
}

/** The conditions that end a conversation. */
interface Ends {
  /** Aborted when nobody waits for the answer any longer, for any reason. */
  readonly signal: AbortSignal;
  /** Whether the caller has disconnected. */
  readonly hungUp: () => boolean;
}

/** Asks the model of a conversation, with a meter of its use and a hold that grows with it. */
@Injectable()
export class Conversations {
  constructor(
    private readonly submission: TextSubmission,
    private readonly screening: AnswerScreening,
  ) {}

  async begin(call: ConversationCall, ends: Ends): Promise<RunningConversation> {
    const { conversation, model, maxTokens, worst, priceOf } = conversationOf(call);
    const id = call.chargeId!;
    const meter = new Meter(model.rates, worst);
    call.meter = {
      get price() {
        return meter.price > 0n ? priceOf(meter.price) : meter.price;
      },
      get billed() {
        return meter.billed;
      },
      get tokens() {
        return meter.tokens;
      },
    };
    const money = call.hold!;
    const tokensAt = (amount: Micro): number =>
      tokensFor(amount, maxTokens, (tokens) => priceOf(worst.likelyAt(tokens)));
    const held = tokensAt(money.held);
    const tokensMax = held >= maxTokens ? maxTokens : tokensAt(await money.promised());
    const hold = OutputHold.of(money, meter, priceOf, [held, maxTokens]);
    return {
      id,
      model,
      name: conversation.model ?? model.id,
      meter,
      hold,
      answer: this.ask(call, ends, { tokensMax, meter }),
    };
  }

  private async ask(
    call: ConversationCall,
    ends: Ends,
    { tokensMax, meter }: { readonly tokensMax: number; readonly meter: Meter },
  ): Promise<BegunAnswer> {
    const { conversation, model, worst } = conversationOf(call);
    const ourId = call.chargeId!;
    if (ends.signal.aborted) throw new ProviderUnavailable(ends.signal.reason);
    try {
      const begun = await this.submission.submit(
        model,
        {
          work: 'stream',
          affinity: worst.beginning,
          attempts: call.attempts,
          promptTokens: worst.input,
          discard,
        },
        async (provider, route, lost) => {
          const copies = call.input ?? NO_IMAGES;
          const request = { model: route.model, maxTokens: tokensMax, ourId, conversation, copies };
          const pieces = eachUntilEither(ends.signal, lost, (either) => provider.converse(request, either));
          const first = await pieces.next().catch((error: unknown) => {
            if (!ends.hungUp()) throw error;
            const end = afterHangUp(error);
            if (end instanceof CallerLeft) this.submission.noteCost(model, route, meter.counted);
            throw end;
          });
          return { pieces, first, route, isOwn: provider.speaks(conversation.api) };
        },
      );
      const { route } = begun;
      meter.isAt(route);
      const { ignored, own } = conversation;
      // The header names what the vendor did not get.
      showIgnored(call.reply, begun.isOwn ? ignored : new Set([...ignored, ...own]));
      const { first, pieces } = this.screening.isOn
        ? await this.screened(model, begun).catch((error: unknown) => {
            // The vendor bills the prompt, although the caller gets no answer.
            this.submission.noteCost(model, route, meter.counted, true);
            throw error;
          })
        : begun;
      return { first, pieces, spent: () => this.submission.noteCost(model, route, meter.counted) };
    } catch (error) {
      // The screening may hold the first words back, which the provider bills.
      if (ends.hungUp() && error instanceof AnswerLost) throw new CallerLeft(error);
      throw error instanceof AppError ? error : new ProviderUnavailable(error);
    }
  }

  /**
   * Waits for the first screened piece, so that an answer that begins with blocked content is an error with a status.
   */
  private async screened(model: TextModel, { first, pieces }: Pieces): Promise<Pieces> {
    const allowed = this.screening.allowed(model, first, pieces);
    return { first: await allowed.next(), pieces: allowed };
  }
}

/**
 * The failure of a request whose caller disconnected. It says nothing about the route, and no other route is tried. The
 * provider may have read the prompt, which it then bills.
 */
const afterHangUp = (error: unknown): unknown => {
  if (error instanceof AnswerLost || !(error instanceof AppError)) return new CallerLeft(error);
  return error instanceof ProviderUnavailable ? new WorkGivenUp(error) : error;
};

/** Ends the work at the provider. */
const discard = ({ pieces }: Pick<Pieces, 'pieces'>): void => {
  pieces.return?.().catch(() => undefined);
};

/** Passes every piece of a model's answer to `take`. */
export const eachBatch = async (
  { answer, hold }: RunningConversation,
  take: (pieces: readonly ConversationPiece[]) => Promise<void> | void,
): Promise<void> => {
  const { first, pieces, spent } = await answer;
  try {
    for (let next = first; next.done !== true; next = await pieces.next()) {
      await take(next.value);
      if (next.value.some((piece) => 'delta' in piece && piece.finishReason !== undefined)) continue;
      await hold.follow();
    }
  } finally {
    spent();
    await pieces.return?.(); // If the reader stops early, the provider must stop the work, too.
  }
};

/** Throws if a model ended without any text, unless a token limit ended it while it reasoned. */
export const refuseNothing = (meter: Meter, finish: string): void => {
  if (!meter.hasWords && finish !== 'length') throw new ProviderUnavailable(new Error('It said nothing.'));
};
