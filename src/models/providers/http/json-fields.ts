import { type Fields, isFields } from '#kernel/json';

/** The fields of a JSON object; empty if the value is no object. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The elements of a list; empty if the value is no list. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
