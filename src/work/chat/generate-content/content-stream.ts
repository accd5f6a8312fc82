import type { StreamedCharge } from '#money/billing/calls/streamed-answer';
import { MergedMessage } from '../completions/merge-pieces';
import { ConversationStream, type StreamLimits } from '../completions/conversation-stream';
import type { ToolCall } from '../compatible/answered-tool-call';
import type { SseReply } from '#platform/http/answers/sse-reply';
import type { RunningConversation } from '../completions/conversations';
import { statusOf } from './generate-content-error.filter';
import type { GenerateContentUsage } from './generate-content.dto';
import { callParts, reasonOf, textParts, usageOf } from './generate-content.wire';

/** Streams a conversation as a series of answers. The last answer contains all function calls, each complete. */
export class ContentStream extends ConversationStream {
  private readonly merged = new MergedMessage();

  constructor(
    sse: SseReply,
    conversation: RunningConversation,
    limits: StreamLimits,
    private readonly showsThoughts: boolean,
  ) {
    super(sse, conversation, limits);
  }

  ending(charge: StreamedCharge): readonly string[] {
    const calls = (this.merged.message['tool_calls'] ?? []) as readonly ToolCall[];
    return [
      this.piece(callParts(calls), {
        finishReason: reasonOf(this.finish),
        usageMetadata: usageOf(this.conversation.meter),
        charge,
      }),
    ];
  }

  /** A stream has begun with 200, so stock clients read the status from the code of the error. */
  override broken(envelope: object, status: number): readonly string[] {
    const { error } = envelope as { readonly error: { readonly code: string; readonly type: string } };
    return [
      JSON.stringify({
        ...envelope,
        error: { ...error, code: status, status: statusOf(error) ?? error.code },
      }),
    ];
  }

  protected take({ delta, signature }: Parameters<ConversationStream['take']>[0]): void {
    const { tool_calls: calls } = delta;
    if (calls !== undefined) this.merged.add({ tool_calls: calls });
    const parts = textParts(delta, this.showsThoughts, signature);
    if (parts.length > 0) this.add(this.piece(parts));
  }

  private piece(parts: readonly object[], { finishReason, ...more }: Ending = {}): string {
    const { id, name } = this.conversation;
    const content = { role: 'model', parts };
    return JSON.stringify({
      candidates: [finishReason === undefined ? { content, index: 0 } : { content, finishReason, index: 0 }],
      ...more,
      modelVersion: name,
      responseId: id,
    });
  }
}

/** The fields of the last piece. */
interface Ending {
  readonly finishReason?: string;
  readonly usageMetadata?: GenerateContentUsage;
  readonly charge?: StreamedCharge;
}
