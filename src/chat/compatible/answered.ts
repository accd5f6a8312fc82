/** The call of a tool in an answer of the common shape, or a piece of one. */
export interface ToolCall {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** Arguments that a limit cut off are no object: then there are none. */
export const argumentsOf = (text = ''): object => {
  try {
    const parsed = JSON.parse(text) as unknown;
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : {};
  } catch {
    return {};
  }
};

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
