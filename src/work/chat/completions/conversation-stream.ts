import { type KeptStream, StreamedAnswer } from '#money/billing/calls/streamed-answer';
import { CallerLeft, SettlementPending } from '#money/billing/charges/in-doubt.errors';
import { AppError } from '#kernel/app-error';
import type { SseReply } from '#platform/http/answers/sse-reply';
import { ProviderFailed, ProviderUnavailable } from '#models/providers/providers.errors';
import { ResultBlocked } from '#models/providers/policy/policy.errors';
import { ServiceRestarts } from './completions.errors';
import { HoldSpent } from './output-hold';
import { type RunningConversation, eachBatch, refuseNothing } from './conversations';
import type { SaidPiece } from './merge-pieces';

/** The signals that end a stream. */
export interface StreamLimits {
  /** Aborted at our time limit for a conversation. */
  readonly time: AbortSignal;
  /** Aborted when the process is about to end. */
  readonly lastCall: AbortSignal;
}

/**
 * The unread part of an answer that the service keeps for a slow reader. Meanwhile the model answers at its own speed,
 * because a vendor cuts a stream that waits for its reader.
 */
const LAG_BYTES_MAX = 512 * 1024;

const QUIET_MS_MAX = 15_000;

/** Streams a conversation as the events of one route. */
export abstract class ConversationStream extends StreamedAnswer {
  /** The finish reason of the answer. */
  protected finish = 'stop';
  private hasAnswer = false;

  constructor(
    sse: SseReply,
    protected readonly conversation: RunningConversation,
    private readonly limits: StreamLimits,
  ) {
    super(sse);
  }

  async send(): Promise<void> {
    const { sse } = this;
    const { meter } = this.conversation;
    // A proxy closes a stream that is silent while the model thinks.
    const quiet = setTimeout(() => {
      sse.breathe();
      quiet.refresh();
    }, QUIET_MS_MAX).unref();
    try {
      this.begin();
      await this.conversation.answer;
      this.hasAnswer = true;
      sse.remarkHeader('x-ignored');
      await eachBatch(this.conversation, (pieces) => {
        // The meter counts all received pieces, even after a disconnect, because the model produced them.
        for (const piece of pieces) meter.take(piece);
        quiet.refresh();
        sse.over.throwIfAborted();
        for (const piece of pieces) {
          if ('usage' in piece) continue;
          this.finish = piece.finishReason ?? this.finish;
          this.take(piece);
        }
        return sse.room(LAG_BYTES_MAX);
      });
      refuseNothing(meter, this.finish);
    } catch (error) {
      // The caller keeps and pays for the screened part. Otherwise a caller could provoke the block for a refund.
      if (error instanceof ResultBlocked && meter.hasWords) {
        this.finish = 'content_filter';
        this.cut();
        return;
      }
      if (error instanceof HoldSpent) {
        this.finish = 'length';
        this.cut();
        return;
      }
      if (!this.hasAnswer && !(error instanceof CallerLeft)) throw error;
      const { time, lastCall } = this.limits;
      // After a disconnect, at our time limit, or if the vendor waited for the caller, the caller is charged for the
      // tokens that were produced.
      const isCallers = (time.aborted || sse.readerWasSlow) && meter.hasWords && !lastCall.aborted;
      if (!sse.hungUp && !isCallers) throw error;
      this.finish = 'length';
      this.cut();
    } finally {
      clearTimeout(quiet);
    }
  }

  /** A caller who disconnected before the first piece has got no answer, and a repetition must not get an empty one. */
  override kept(ending: readonly string[]): KeptStream | undefined {
    return this.hasAnswer ? super.kept(ending) : undefined;
  }

  failure(error: unknown): AppError {
    if (error instanceof SettlementPending || error instanceof ResultBlocked) return error;
    // A model that refuses the content may end without any text.
    if (error instanceof ProviderFailed && !this.conversation.meter.hasWords) return error;
    if (this.limits.lastCall.aborted) return new ServiceRestarts(error);
    return !this.hasAnswer && error instanceof AppError ? error : new ProviderUnavailable(error);
  }

  /** Called before the first piece. */
  protected begin(): void {
    // Most routes send nothing before the first piece.
  }

  protected abstract take(piece: SaidPiece): void;

  /** Called when our time limit, the payer's money or the content policy has cut the answer off; `finish` says which. */
  protected cut(): void {
    // Most routes send the reason at the end.
  }
}
