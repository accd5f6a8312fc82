import type { PipeTransform } from '@nestjs/common';

import { InvalidRequest } from '../../../kernel/app-error';

/** A whole number in the query string; anything else, outside the range included, is a 400 that says the range. */
export class WholeQuery implements PipeTransform<unknown, number> {
  constructor(
    private readonly name: string,
    private readonly rule: { readonly min: number; readonly max: number; readonly default: number },
  ) {}

  transform(value: unknown): number {
    if (value === undefined) {
      return this.rule.default;
    }
    const { min, max } = this.rule;
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : NaN;
    if (!(number >= min && number <= max)) {
      throw new InvalidRequest(`${this.name} must be a whole number from ${min} to ${max}.`, {
        param: this.name,
      });
    }
    return number;
  }
}

/** Optional single text in the query string: repeated or over-long ones are refused. */
export class TextQuery implements PipeTransform<unknown, string | undefined> {
  constructor(
    private readonly name: string,
    private readonly max: number,
  ) {}

  transform(value: unknown): string | undefined {
    if (value === undefined || value === '') {
      return undefined;
    }
    if (typeof value !== 'string' || value.length > this.max) {
      const problem = `${this.name} must stand once, with at most ${this.max} characters.`;
      throw new InvalidRequest(problem, { param: this.name });
    }
    return value;
  }
}

/** Where a list goes on that is ordered by numbers of its own: the `nextCursor` of the page before. */
export const sequenceIn = (cursor: string | undefined): bigint | undefined => {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) {
    throw new InvalidRequest('cursor must be the nextCursor of an earlier page.', { param: 'cursor' });
  }
  return cursor === undefined ? undefined : BigInt(cursor);
};

/** Optional word in the query string, one of those that are known. */
export class ChoiceQuery<T extends string> implements PipeTransform<unknown, T | undefined> {
  constructor(
    private readonly name: string,
    private readonly words: readonly T[],
  ) {}

  transform(value: unknown): T | undefined {
    if (value === undefined || value === '') {
      return undefined;
    }
    const word = this.words.find((known) => known === value);
    if (word === undefined) {
      throw new InvalidRequest(`${this.name} must be one of ${this.words.join(', ')}.`, { param: this.name });
    }
    return word;
  }
}
