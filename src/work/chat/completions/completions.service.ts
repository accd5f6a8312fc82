import type { Fields } from '#kernel/json';
import { Inject, Injectable } from '@nestjs/common';

import { AppError } from '#kernel/app-error';
import { deadlineIn, within } from '#kernel/deadline';
import type { ChannelSettings } from '#money/billing/rails/channel/channel.settings';
import { SETTINGS } from '#platform/config/settings';
import { SseReply } from '#platform/http/answers/sse-reply';
import { Drain } from '#platform/http/drain';
import { ProviderUnavailable } from '#models/providers/providers.errors';
import { secondsMaxOf } from '../compatible/compatible-route';
import type { ConversationStream, StreamLimits } from './conversation-stream';
import {
  type RunningConversation,
  type ConversationCall,
  Conversations,
  eachBatch,
  refuseNothing,
} from './conversations';
import { MergedMessage } from './merge-pieces';
import type { Meter } from './meter';
import { HoldSpent } from './output-hold';

/** The longest wait for the first piece of a stream, until the stream opens without one. */
const STATUS_MS_MAX = 10_000;

/** A whole answer in the common shape, which each route translates into its own shape. */
export interface WholeAnswer {
  readonly id: string;
  readonly modelId: string;
  readonly message: MergedMessage['message'];
  /** The model's thoughts, with the proofs of their maker. */
  readonly thoughts: readonly ThoughtBlock[];
  /** The items of a vendor that speaks the API of the caller; empty for other vendors. */
  readonly items: readonly Fields[];
  readonly finish: string;
  readonly meter: Meter;
}

export interface ThoughtBlock {
  readonly text: string;
  readonly signature?: string;
  readonly redacted?: string;
}

type MakeStream = (
  sse: SseReply,
  conversation: RunningConversation,
  limits: StreamLimits,
) => ConversationStream;

/** Runs conversations, whole or streamed, for all compatible routes. */
@Injectable()
export class CompletionsService {
  private readonly secondsMax: number;

  constructor(
    private readonly conversations: Conversations,
    private readonly drain: Drain,
    @Inject(SETTINGS) { x402 }: ChannelSettings,
  ) {
    this.secondsMax = secondsMaxOf(x402.channels);
  }

  /**
   * Returns the whole answer at once. The work continues after a disconnect, because the caller may repeat the call to
   * get the answer.
   */
  async complete(call: ConversationCall): Promise<WholeAnswer> {
    const time = deadlineIn(this.secondsMax);
    const conversation = await this.conversations.begin(call, { signal: time, hungUp: () => false });
    const { id, name, meter } = conversation;
    const merged = new MergedMessage();
    let finish = 'stop';
    try {
      await eachBatch(conversation, (pieces) => {
        for (const piece of pieces) {
          meter.take(piece);
          if ('usage' in piece) continue;
          merged.take(piece);
          finish = piece.finishReason ?? finish;
        }
      });
      refuseNothing(meter, finish);
    } catch (error) {
      // If our time limit or the end of the payer's money cut the answer off, the caller gets and pays for its beginning.
      if (!(error instanceof HoldSpent || time.aborted) || !meter.hasWords)
        throw error instanceof AppError ? error : new ProviderUnavailable(error);
      finish = 'length';
    }
    const { message, thoughts, items } = merged;
    return { id, modelId: name, message, thoughts, items, finish, meter };
  }

  /** Streams the answer. A caller that disconnects is charged for the prompt and for the tokens produced so far. */
  async stream(call: ConversationCall, make: MakeStream): Promise<ConversationStream> {
    const time = deadlineIn(this.secondsMax);
    const { lastCall } = this.drain;
    const sse = new SseReply(call.reply, time, lastCall);
    const ends = { signal: sse.over, hungUp: () => sse.hungUp };
    const conversation = await this.conversations.begin(call, ends);
    // A refusal that comes at once still gets an HTTP status. Clients and proxies end a request that receives nothing
    // for long, so after a while the stream opens, and its last event names a refusal.
    await within<unknown, undefined>(STATUS_MS_MAX, conversation.answer, () => undefined);
    return make(sse, conversation, { time, lastCall });
  }
}
