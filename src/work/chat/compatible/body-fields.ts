/**
 * The field of a token limit. Agents send their model's own limit, such as 64,000, so the service lowers a high limit
 * instead of refusing it.
 */
export const TOKEN_LIMIT = {
  min: 1,
  max: 10_000_000,
  about: "A limit above the model's maximum counts as this maximum.",
} as const;

/** The parsers of `src/models/conversation` read what is inside, so that a fault is named in a plain sentence. */
export const OBJECT = { type: 'object' } as const;
export const LIST = { type: 'array', items: {} } as const;
export const TEXT = { type: 'string' } as const;
export const TEXTS = { type: 'array', items: TEXT } as const;
export const TEXT_OR_LIST = { oneOf: [TEXT, LIST] } as const;
export const orNull = (...schemas: readonly object[]) => ({ oneOf: [...schemas, { type: 'null' }] });
