import type { TokenPrices } from '../token-prices';
import { fieldsOf, itemsOf, textOf } from '../http/json-fields';

export interface ListedModel {
  /** The vendor's own name, for requests. */
  readonly id: string;
  /** The maker's name, if the vendor's differs. */
  readonly makersId?: string;
  readonly name?: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly vision?: boolean;
  readonly reasoning?: boolean;
  /** Whether it can call tools. Undefined if neither the list nor the name shows it. */
  readonly tools?: boolean;
  /** Further names of the model at the vendor. */
  readonly aliases?: readonly string[];
  /** The day (UTC) from which the vendor no longer serves it. */
  readonly retiresOn?: string;
  readonly replacedBy?: string;
  /** The vendor's prices, if its list has them. */
  readonly prices?: TokenPrices;
  /** Whether the service makes media or sound with it, at the prices of its own book. */
  readonly isMedia?: boolean;
  /** Why the service can't sell it as text. */
  readonly why?: string;
}

/** More tokens than any model reads or writes. A list with a higher number is mistaken. */
export const LISTED_COUNT_MAX = 100_000_000;

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= LISTED_COUNT_MAX;

/** The first positive whole number. */
export const countIn = (...values: readonly unknown[]): number | undefined => values.find(isCount);

/** A day as `2026-01-31`, from a text or from seconds since 1970. */
export const dayIn = (value: unknown): string | undefined => {
  const at = typeof value === 'number' ? value * 1_000 : Date.parse(textOf(value) ?? '');
  return Number.isFinite(at) && Math.abs(at) < 8e14 && at > 0
    ? new Date(at).toISOString().slice(0, 10)
    : undefined;
};

export const textsIn = (value: unknown): readonly string[] =>
  itemsOf(value).flatMap((item) => textOf(item) ?? []);

/** The fields of each item of a list, or undefined if there is no list. An answer with an error inside has none. */
export const rowsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] | undefined =>
  Array.isArray(value) ? value.map(fieldsOf) : undefined;
