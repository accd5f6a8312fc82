import type { StreamedCharge } from '#money/billing/calls/streamed-answer';
import type { SseReply } from '#platform/http/answers/sse-reply';
import { type ToolCall, isText } from '../compatible/answered-tool-call';
import { ConversationStream, type StreamLimits } from '../completions/conversation-stream';
import type { RunningConversation } from '../completions/conversations';
import { asMessagesError, reasonOf, usageOf } from './messages.wire';

/** The kind of a content block; a number is the index of a tool call. Pieces of one kind continue one block. */
type Block = 'text' | 'thinking' | 'redacted' | number;

/** Streams a conversation as the events of a message, whose blocks come one after another. */
export class MessageStream extends ConversationStream {
  protected override readonly named = true;
  private blocks = 0;
  private calls = 0;
  private open: Block | undefined;

  constructor(
    sse: SseReply,
    conversation: RunningConversation,
    limits: StreamLimits,
    private readonly showsThoughts: boolean,
  ) {
    super(sse, conversation, limits);
  }

  ending(charge: StreamedCharge): readonly string[] {
    const { meter } = this.conversation;
    return [
      ...(this.open === undefined ? [] : [this.stop()]),
      JSON.stringify({
        type: 'message_delta',
        delta: { stop_reason: reasonOf(this.finish), stop_sequence: null },
        usage: usageOf(meter),
        charge,
      }),
      JSON.stringify({ type: 'message_stop' }),
    ];
  }

  override broken(envelope: object): readonly string[] {
    return [JSON.stringify(asMessagesError(envelope))];
  }

  protected override begin(): void {
    const { id, name, meter } = this.conversation;
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: name,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // An estimate, because the provider counts only at the end.
      usage: { ...usageOf(meter), output_tokens: 0 },
    };
    this.add(JSON.stringify({ type: 'message_start', message }));
  }

  protected take({ delta, signature, redacted }: Parameters<ConversationStream['take']>[0]): void {
    const { content, refusal, reasoning_content: thought, tool_calls: calls } = delta;
    if (this.showsThoughts && isText(thought)) {
      this.openBlock('thinking', { type: 'thinking', thinking: '', signature: '' });
      this.change({ type: 'thinking_delta', thinking: thought });
    }
    if (this.showsThoughts && signature !== undefined && this.open === 'thinking')
      this.change({ type: 'signature_delta', signature });
    if (this.showsThoughts && redacted !== undefined) {
      this.openBlock('redacted', { type: 'redacted_thinking', data: redacted });
      this.add(this.stop());
    }
    for (const text of [content, refusal]) {
      if (!isText(text)) continue;
      this.openBlock('text', { type: 'text', text: '' });
      this.change({ type: 'text_delta', text });
    }
    for (const call of (calls ?? []) as readonly ToolCall[]) this.takeCall(call);
  }

  private takeCall({ index = 0, id, function: called = {} }: ToolCall): void {
    this.openBlock(index, {
      type: 'tool_use',
      id: id ?? `toolu_${index}`,
      name: called.name ?? '',
      input: {},
    });
    if (isText(called.arguments)) this.change({ type: 'input_json_delta', partial_json: called.arguments });
  }

  /** Continues the open block, or ends it and opens the next one. */
  private openBlock(block: Block, begun: object): void {
    if (this.open === block) return;
    if (typeof block === 'number' && block < this.calls)
      throw new Error('The call of a tool goes on after another has begun.');
    if (typeof block === 'number') this.calls = block + 1;
    if (this.open !== undefined) this.add(this.stop());
    this.open = block;
    this.add(JSON.stringify({ type: 'content_block_start', index: this.blocks, content_block: begun }));
  }

  private change(delta: object): void {
    this.add(JSON.stringify({ type: 'content_block_delta', index: this.blocks, delta }));
  }

  private stop(): string {
    this.open = undefined;
    this.blocks += 1;
    return JSON.stringify({ type: 'content_block_stop', index: this.blocks - 1 });
  }
}
