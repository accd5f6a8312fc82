import { isFields, jsonIn } from '#kernel/json';

/** A tool call, or a piece of a tool call, in an answer of the common shape. */
export interface ToolCall {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
  /** Google's signature of the call. */
  readonly extra_content?: { readonly google: { readonly thought_signature: string } };
}

/** A token limit may cut arguments off, so that they are no valid JSON. An empty object then replaces them. */
export const argumentsOf = (text = ''): object => {
  const parsed = jsonIn(text);
  return isFields(parsed) ? parsed : {};
};

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
