import type { Fields } from '#kernel/json';
import type { ConversationPiece } from '#models/providers/text-provider';

export type SaidPiece = Extract<ConversationPiece, { readonly delta: unknown }>;

type Delta = Readonly<Record<string, unknown>>;

interface ToolCall {
  readonly index?: number;
  readonly function?: { readonly name?: string; readonly arguments?: string };
  readonly [field: string]: unknown;
}

const mergeCall = (before: ToolCall | undefined, { index: _, ...more }: ToolCall): ToolCall =>
  before === undefined
    ? more
    : {
        ...before,
        ...more,
        function: {
          ...before.function,
          ...more.function,
          arguments: `${before.function?.arguments ?? ''}${more.function?.arguments ?? ''}`,
        },
      };

/**
 * Merges the pieces of a streamed message: texts are appended, and tool calls are merged by their index. The index is
 * the key of a map, so a huge index costs no memory.
 */
export class MergedMessage {
  private readonly texts = new Map<string, string>();
  private readonly calls = new Map<number, ToolCall>();

  /** The thoughts, each with its proof. A proof ends a thought. */
  readonly thoughts: { text: string; signature?: string; redacted?: string }[] = [];
  /** The items of a vendor that speaks the API of the caller. */
  readonly items: Fields[] = [];
  private isThinking = false;

  take({ delta, signature, redacted, native }: SaidPiece): void {
    if (native !== undefined) {
      this.pass(delta, native);
      return;
    }
    this.add(delta);
    const { reasoning_content: thought } = delta;
    if (redacted !== undefined) this.thoughts.push({ text: '', redacted });
    if (typeof thought === 'string' && thought !== '') {
      if (!this.isThinking) this.thoughts.push({ text: '' });
      this.thoughts.at(-1)!.text += thought;
    }
    if (signature !== undefined && this.isThinking) this.thoughts.at(-1)!.signature = signature;
    this.isThinking =
      signature === undefined &&
      (typeof thought === 'string' || (this.isThinking && delta['content'] === undefined));
  }

  /** Keeps the items, and the text of an unfinished one, which the end of the money or of the time may cut off. */
  private pass({ tool_calls: _, ...texts }: Delta, { type, item }: Delta): void {
    if (type !== 'response.output_item.done') {
      this.add(texts);
      return;
    }
    this.items.push(item as Fields);
    this.texts.clear();
  }

  add(delta: Delta): void {
    for (const [field, value] of Object.entries(delta)) {
      if (field === 'tool_calls' && Array.isArray(value)) this.addCalls(value as readonly ToolCall[]);
      else if (field !== 'role' && typeof value === 'string') {
        this.texts.set(field, (this.texts.get(field) ?? '') + value);
      }
    }
  }

  get message(): Delta {
    const calls = [...this.calls].sort(([a], [b]) => a - b).map(([, call]) => call);
    return {
      role: 'assistant',
      content: null,
      ...Object.fromEntries(this.texts),
      tool_calls: calls.length === 0 ? undefined : calls,
    };
  }

  private addCalls(calls: readonly ToolCall[]): void {
    for (const call of calls) {
      const at = call.index ?? this.calls.size;
      this.calls.set(at, mergeCall(this.calls.get(at), call));
    }
  }
}
