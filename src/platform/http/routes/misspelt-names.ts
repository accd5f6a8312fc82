import { slipOf } from '#kernel/nearest';

/** A longer name is no misspelling of a field, so it is not compared. */
const LETTERS_MAX = 40;
/** A name that is only the beginning of the other one must have at least this many letters. */
const BEGINNING_MIN = 5;

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const isSlipOf = (word: string, field: string): boolean =>
  word === field ||
  (Math.min(word.length, field.length) >= BEGINNING_MIN &&
    (field.startsWith(word) || word.startsWith(field))) ||
  slipOf(word, [field]) !== undefined;

/**
 * The field of `fields` that an unknown name probably means. Examples of such names are `dry_run` and `scope`.
 */
export const meantBy = (name: string, fields: readonly string[]): string | undefined => {
  if (name.length > LETTERS_MAX) return undefined;
  const word = lettersOf(name);
  return fields.find((field) => isSlipOf(word, lettersOf(field)));
};
