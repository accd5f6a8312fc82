import { StreamedAnswer } from '../../billing/calls/streamed-answer';
import { SettlementPending } from '../../billing/charges/in-doubt.errors';
import type { AppError } from '../../kernel/app-error';
import type { SseReply } from '../../platform/http/answers/sse-reply';
import { ResultBlocked } from '../../providers/content-policy';
import { ProviderFailed, ProviderUnavailable } from '../../providers/providers.errors';
import type { ConversationPiece } from '../../providers/text-provider';
import { ServiceRestarts } from './completions.errors';
import { type Conversation, eachBatch, refuseNothing } from './conversations';

/** When a stream must end. */
export interface StreamLimits {
  /** Our own limit on how long a conversation may take. */
  readonly time: AbortSignal;
  /** Aborted when the service is about to end. */
  readonly lastCall: AbortSignal;
}

type SaidPiece = Extract<ConversationPiece, { readonly delta: unknown }>;

/** A conversation as a stream of one route's events. */
export abstract class ConversationStream extends StreamedAnswer {
  /** How the answer ended. */
  protected finish = 'stop';

  constructor(
    sse: SseReply,
    protected readonly conversation: Conversation,
    private readonly limits: StreamLimits,
  ) {
    super(sse);
  }

  async send(): Promise<void> {
    const { sse } = this;
    const { meter } = this.conversation;
    try {
      this.begin();
      await eachBatch(this.conversation, (pieces) => {
        // The received pieces were produced and are charged, whether or not the caller is still connected.
        for (const piece of pieces) meter.take(piece);
        sse.over.throwIfAborted();
        for (const piece of pieces) {
          if ('usage' in piece) continue;
          this.finish = piece.finishReason ?? this.finish;
          this.take(piece);
        }
        return sse.room();
      });
      refuseNothing(meter, this.finish);
    } catch (error) {
      // The screened part is delivered and charged. Otherwise a caller could provoke the block for a refund.
      if (error instanceof ResultBlocked && meter.hasWords) {
        this.finish = 'content_filter';
        this.cut();
        return;
      }
      const { time, lastCall } = this.limits;
      // After a disconnect, or at our own time limit, the caller is charged for what was produced.
      if (!sse.hungUp && (!time.aborted || !meter.hasWords || lastCall.aborted)) throw error;
      this.finish = 'length';
      this.cut();
    }
  }

  failure(error: unknown): AppError {
    if (error instanceof SettlementPending || error instanceof ResultBlocked) return error;
    // A model that refuses the content may end without any text.
    if (error instanceof ProviderFailed && !this.conversation.meter.hasWords) return error;
    return this.limits.lastCall.aborted ? new ServiceRestarts(error) : new ProviderUnavailable(error);
  }

  /** Called before the first piece. */
  protected begin(): void {
    // Most routes send nothing before the model does.
  }

  protected abstract take(piece: SaidPiece): void;

  /** Called when our limit, or the content policy, has cut the answer off; `finish` says which. */
  protected cut(): void {
    // Most routes send the reason at the end.
  }
}
