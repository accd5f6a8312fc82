import { Injectable } from '@nestjs/common';

import { AppError } from '../../kernel/app-error';
import { deadlineIn } from '../../kernel/deadline';
import { SseReply } from '../../platform/http/answers/sse-reply';
import { Drain } from '../../platform/http/drain';
import { ProviderUnavailable } from '../../providers/providers.errors';
import { CompletionStream } from './completion-stream';
import type { CompletionAnswer } from './completions.dto';
import { type CompletionCall, Conversations, eachBatch, refuseNothing } from './conversations';
import { MergedMessage } from './merge-pieces';

const SECONDS_MAX = 300;

/** The studio's chat, whole or streamed. */
@Injectable()
export class CompletionsService {
  constructor(
    private readonly conversations: Conversations,
    private readonly drain: Drain,
  ) {}

  /** The whole answer at once. A caller that disconnects may ask again for it, so the work goes on. */
  async complete(call: CompletionCall): Promise<CompletionAnswer> {
    const time = deadlineIn(SECONDS_MAX);
    const conversation = await this.conversations.begin(call, { signal: time, hungUp: () => false });
    const { id, model, meter } = conversation;
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
      // An answer that our own limit cuts off was made for the caller all the same, who gets it and pays for it.
      if (!time.aborted || !meter.hasWords) {
        throw error instanceof AppError ? error : new ProviderUnavailable(error);
      }
      finish = 'length';
    }
    return {
      id,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1_000),
      model: model.id,
      choices: [{ index: 0, message: merged.message, finish_reason: finish }],
      usage: meter.usage,
    };
  }

  /** Piece by piece. A caller that disconnects pays for what was sent and produced by then. */
  async stream(call: CompletionCall): Promise<CompletionStream> {
    const time = deadlineIn(SECONDS_MAX);
    const { lastCall } = this.drain;
    const sse = new SseReply(call.reply, time, lastCall);
    const ends = { signal: sse.over, hungUp: () => sse.hungUp };
    const conversation = await this.conversations.begin(call, ends);
    const tellsUsage = call.body.stream_options?.include_usage === true;
    return new CompletionStream(sse, conversation, { time, lastCall, tellsUsage });
  }
}
