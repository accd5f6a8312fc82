interface ToolCall {
  readonly index?: number;
  readonly function?: { readonly name?: string; readonly arguments?: string };
  readonly [field: string]: unknown;
}

type Delta = Readonly<Record<string, unknown>>;

const joined = (before: unknown, more: unknown): unknown =>
  typeof before === 'string' && typeof more === 'string' ? before + more : more;

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

/** Puts the pieces of a streamed message together: texts grow, tool calls grow each at its index. */
export const mergePieces = (message: Delta, delta: Delta): Delta => {
  const merged: Record<string, unknown> = { ...message };
  for (const [field, value] of Object.entries(delta)) {
    if (field === 'role') {
      merged[field] = value;
    } else if (field === 'tool_calls' && Array.isArray(value)) {
      const calls = [...((merged[field] as ToolCall[] | undefined) ?? [])];
      for (const call of value as ToolCall[]) {
        const at = call.index ?? calls.length;
        calls[at] = mergeCall(calls[at], call);
      }
      merged[field] = calls;
    } else {
      merged[field] = joined(merged[field], value);
    }
  }
  return merged;
};
