import { type StreamedCharge, StreamedAnswer } from '../../billing/calls/streamed-answer';
import { SettlementPending } from '../../billing/charges/in-doubt.errors';
import { AppError } from '../../kernel/app-error';
import type { SseReply } from '../../platform/http/answers/sse-reply';
import { ProviderUnavailable } from '../../providers/providers.errors';
import { ServiceRestarts } from './completions.errors';
import { type Conversation, eachBatch, refuseNothing } from './conversations';

interface Options {
  /** Our own limit on how long a conversation may take. */
  readonly time: AbortSignal;
  /** Aborted when the service is about to end. */
  readonly lastCall: AbortSignal;
  /** Whether the caller asked for the token counts and the charge. */
  readonly tellsUsage: boolean;
}

/** A conversation as chunks in the OpenAI shape. */
export class CompletionStream extends StreamedAnswer {
  private readonly frame: Frame;

  constructor(
    sse: SseReply,
    private readonly conversation: Conversation,
    private readonly options: Options,
  ) {
    super(sse);
    this.frame = new Frame(conversation.id, conversation.model.id);
  }

  async send(): Promise<void> {
    const { sse, frame } = this;
    const { meter } = this.conversation;
    let finish = 'stop';
    try {
      await eachBatch(this.conversation, (pieces) => {
        // What has come was made, whether or not its reader is still there.
        for (const piece of pieces) meter.take(piece);
        sse.over.throwIfAborted();
        for (const piece of pieces) {
          if ('usage' in piece) continue;
          finish = piece.finishReason ?? finish;
          this.add(frame.withChoice(piece.delta, piece.finishReason));
        }
        return sse.room();
      });
      refuseNothing(meter, finish);
    } catch (error) {
      const { time, lastCall } = this.options;
      // A caller that disconnected, or that our own limit cut off, was given what it pays for.
      if (!sse.hungUp && (!time.aborted || !meter.hasWords || lastCall.aborted)) throw error;
      this.add(frame.withChoice({}, 'length'));
    }
  }

  ending(charge: StreamedCharge): readonly string[] {
    const { meter } = this.conversation;
    return this.options.tellsUsage
      ? [this.frame.with({ choices: [], usage: meter.usage, charge }), '[DONE]']
      : ['[DONE]'];
  }

  failure(error: unknown): AppError {
    if (error instanceof SettlementPending) return error;
    return this.options.lastCall.aborted ? new ServiceRestarts(error) : new ProviderUnavailable(error);
  }
}

/** The fields that every chunk of a stream repeats are serialised once. */
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
