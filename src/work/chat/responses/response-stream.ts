import type { StreamedCharge } from '#money/billing/calls/streamed-answer';
import type { SseReply } from '#platform/http/answers/sse-reply';
import { type ToolCall, isText } from '../compatible/answered-tool-call';
import { asOpenaiError } from '../compatible/openai-error.filter';
import { ConversationStream, type StreamLimits } from '../completions/conversation-stream';
import type { RunningConversation } from '../completions/conversations';
import type { ResponsesAnswer, ResponsesBody } from './responses.dto';
import { type ToolNames, callItem, endOf, messageItem, responseOf, usageOf } from './responses.wire';

type Item = ResponsesAnswer['output'][number];

/** The item in progress: text, a refusal, or the call of a tool. */
interface OpenItem {
  readonly kind: 'text' | 'refusal' | 'call';
  readonly call: number;
  readonly id?: string;
  readonly name?: string;
  text: string;
}

/** Streams a conversation as the events of a response, whose items come one after another. */
export class ResponseStream extends ConversationStream {
  protected override readonly named = true;
  private readonly output: Item[] = [];
  private readonly head: ReturnType<typeof responseOf>;
  private numbered = 0;
  private calls = 0;
  private open: OpenItem | undefined;
  /** The unfinished item of a vendor that speaks this API, and its text. */
  private passing: { readonly event: object; readonly item: Item; text: string } | undefined;

  constructor(
    sse: SseReply,
    conversation: RunningConversation,
    limits: StreamLimits,
    body: ResponsesBody,
    private readonly tools: ToolNames,
  ) {
    super(sse, conversation, limits);
    const { id, name } = conversation;
    this.head = responseOf({ id, modelId: name, createdAt: Math.floor(Date.now() / 1_000) }, body);
  }

  ending(charge: StreamedCharge): readonly string[] {
    const last = this.closing();
    const end = endOf(this.finish);
    const usage = usageOf(this.conversation.meter);
    const response = { ...this.head, ...end, output: this.output, usage };
    return [...last, this.event(`response.${end.status}`, { response, charge })];
  }

  override broken(envelope: object): readonly string[] {
    const refused = asOpenaiError(envelope) as {
      readonly error?: { readonly message?: string; readonly code?: string };
    };
    const { code, message } = refused.error ?? {};
    const response = { ...this.head, status: 'failed', output: this.output, error: { code, message } };
    return [
      // Codex knows a failure by this event only, and the libraries of OpenAI by the next one.
      this.event('response.failed', { response }),
      // Some clients read these fields directly, others read an object named `error`.
      this.event('error', { code, message, param: null, ...refused }),
    ];
  }

  protected override begin(): void {
    this.add(this.event('response.created', { response: this.head }));
    this.add(this.event('response.in_progress', { response: this.head }));
  }

  protected take({ delta, native }: Parameters<ConversationStream['take']>[0]): void {
    if (native !== undefined) {
      this.pass(native);
      return;
    }
    const { content, refusal, tool_calls: calls } = delta;
    if (isText(content)) this.addWords('text', content);
    if (isText(refusal)) this.addWords('refusal', refusal);
    for (const call of (calls ?? []) as readonly ToolCall[]) this.takeCall(call);
  }

  /** An event of a vendor that speaks this API. The output of the last event has the same items. */
  private pass({ type, sequence_number: _, ...fields }: Readonly<Record<string, unknown>>): void {
    const item = fields['item'] as Item;
    if (type === 'response.output_item.added') this.passing = { event: fields, item, text: '' };
    if (type === 'response.output_text.delta' && this.passing !== undefined)
      this.passing.text += String(fields['delta']);
    if (type === 'response.output_item.done') {
      this.passing = undefined;
      this.output.push(item);
    }
    this.add(this.event(type as string, fields));
  }

  /** The caller has paid for the text of the item that was cut off. */
  protected override cut(): void {
    const { event, item, text } = this.passing ?? { text: '' };
    if (text === '') return;
    const content = [{ type: 'output_text', text, annotations: [] }];
    const cut = { ...item, status: 'incomplete', content };
    this.pass({ ...event, type: 'response.output_item.done', item: cut });
  }

  private addWords(kind: 'text' | 'refusal', words: string): void {
    if (this.open?.kind !== kind) {
      this.begun({ kind, call: -1, text: '' }, messageItem(this.conversation.id, '', '', 'in_progress'));
      this.add(this.event('response.content_part.added', { ...this.place, part: this.partOf('') }));
    }
    this.open!.text += words;
    const name = kind === 'text' ? 'output_text' : 'refusal';
    this.add(this.event(`response.${name}.delta`, { ...this.place, delta: words }));
  }

  private takeCall({ index = 0, id, function: called = {} }: ToolCall): void {
    if (this.open?.kind !== 'call' || this.open.call !== index) {
      if (index < this.calls) throw new Error('The call of a tool goes on after another has begun.');
      this.calls = index + 1;
      const item: OpenItem = { kind: 'call', call: index, id, name: called.name, text: '' };
      this.begun(
        item,
        callItem(this.conversation.id, index, { id, name: called.name }, this.tools, 'in_progress'),
      );
    }
    if (!isText(called.arguments)) return;
    this.open!.text += called.arguments;
    // The input of a custom tool is inside the arguments, so it is sent when they are complete.
    if (this.isCustom(this.open!)) return;
    const { item_id, output_index } = this.place;
    const event = { item_id, output_index, delta: called.arguments };
    this.add(this.event('response.function_call_arguments.delta', event));
  }

  private begun(item: OpenItem, begun: object): void {
    for (const event of this.closing()) this.add(event);
    this.open = item;
    const { output_index } = this.place;
    const empty = item.kind === 'call' ? begun : { ...begun, content: [] };
    this.add(this.event('response.output_item.added', { output_index, item: empty }));
  }

  /** The events that end the open item. */
  private closing(): readonly string[] {
    const { open, place } = this;
    if (open === undefined) return [];
    const { item_id, output_index } = place;
    const item = this.itemOf(open);
    const last = this.isCustom(open)
      ? this.customInput(item)
      : open.kind === 'call'
        ? [
            this.event('response.function_call_arguments.done', {
              item_id,
              output_index,
              name: (item as { readonly name?: string }).name,
              arguments: open.text,
            }),
          ]
        : [
            this.event(open.kind === 'text' ? 'response.output_text.done' : 'response.refusal.done', {
              ...place,
              [open.kind]: open.text,
            }),
            this.event('response.content_part.done', { ...place, part: this.partOf(open.text) }),
          ];
    this.output.push(item);
    this.open = undefined;
    return [...last, this.event('response.output_item.done', { output_index, item })];
  }

  private itemOf({ kind, call, text, ...called }: OpenItem): { readonly id: string } {
    const { id } = this.conversation;
    if (kind === 'call') return callItem(id, call, { ...called, arguments: text }, this.tools);
    return kind === 'text' ? messageItem(id, text, '') : messageItem(id, '', text);
  }

  private isCustom({ kind, name }: OpenItem): boolean {
    return kind === 'call' && this.tools.get(name ?? '')?.kind === 'custom';
  }

  private customInput(item: object): readonly string[] {
    const { input } = item as { readonly input: string };
    const { item_id, output_index } = this.place;
    return [
      this.event('response.custom_tool_call_input.delta', { item_id, output_index, delta: input }),
      this.event('response.custom_tool_call_input.done', { item_id, output_index, input }),
    ];
  }

  private partOf(text: string): object {
    return this.open?.kind === 'refusal'
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', text, annotations: [] };
  }

  private get place() {
    const item_id = this.open === undefined ? '' : this.itemOf(this.open).id;
    return { item_id, output_index: this.output.length, content_index: 0 };
  }

  private event(type: string, fields: object): string {
    const sequence_number = this.numbered;
    this.numbered += 1;
    return JSON.stringify({ type, sequence_number, ...fields });
  }
}
