import type { StreamedCharge } from '#money/billing/calls/streamed-answer';
import type { SseReply } from '#platform/http/answers/sse-reply';
import { ConversationStream, type StreamLimits } from './conversation-stream';
import { asOpenaiError } from '../compatible/openai-error.filter';
import type { CompletionUsage } from './completions.dto';
import type { Meter } from './meter';
import type { RunningConversation } from './conversations';

/** The counts, with those of the vendor's cache if it has read from one. */
export const usageOf = ({ usage, cached }: Meter): CompletionUsage =>
  cached.read === 0 ? usage : { ...usage, prompt_tokens_details: { cached_tokens: cached.read } };

/** Streams a conversation as chunks in OpenAI's shape. */
export class CompletionStream extends ConversationStream {
  private readonly frame: Frame;

  /** `reportsUsage` says whether the caller asked for the token counts and the charge. */
  constructor(
    sse: SseReply,
    conversation: RunningConversation,
    limits: StreamLimits,
    private readonly reportsUsage: boolean,
  ) {
    super(sse, conversation, limits);
    this.frame = new Frame(conversation.id, conversation.name);
  }

  ending(charge: StreamedCharge): readonly string[] {
    const { meter } = this.conversation;
    return this.reportsUsage
      ? [this.frame.with({ choices: [], usage: usageOf(meter), charge }), '[DONE]']
      : ['[DONE]'];
  }

  override broken(envelope: object): readonly string[] {
    return [JSON.stringify(asOpenaiError(envelope))];
  }

  protected take({ delta, finishReason }: Parameters<ConversationStream['take']>[0]): void {
    this.add(this.frame.withChoice(delta, finishReason));
  }

  protected override cut(): void {
    this.add(this.frame.withChoice({}, this.finish));
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
    const [deltaJson, reason] = [JSON.stringify(delta), JSON.stringify(finish ?? null)];
    return `${this.head},"choices":[{"index":0,"delta":${deltaJson},"finish_reason":${reason}}]}`;
  }
}
