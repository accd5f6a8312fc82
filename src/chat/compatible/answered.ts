/** A tool call in an answer of the common shape, or a piece of one. */
export interface ToolCall {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** Arguments that a token limit has cut off are no valid JSON; an empty object replaces them. */
export const argumentsOf = (text = ''): object => {
  try {
    const parsed = JSON.parse(text) as unknown;
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : {};
  } catch {
    return {};
  }
};

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
