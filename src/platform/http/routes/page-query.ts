import { InvalidRequest } from '#kernel/app-error';
import { SchemaField, TEXT_OR_NULL, TextField, WholeField } from './fields';

const CURSOR_CHARS_MAX = 60;

/** The page of a list that a caller asks for: `@Query() page: PageQuery`. */
export class PageQuery {
  @WholeField({ min: 1, max: 200, default: 50, optional: true }) readonly limit: number;
  @TextField({ max: CURSOR_CHARS_MAX, optional: true, about: 'The `nextCursor` of the page before.' })
  readonly cursor?: string;
}

export const NextCursorField = (): PropertyDecorator =>
  SchemaField({ about: 'Send it as `cursor` for the next page; null on the last one.' }, TEXT_OR_NULL);

/** A page of the rows that were found. A search for one row more than the limit shows whether there is a next page. */
export const pageOf = <Row>(
  found: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): { readonly page: readonly Row[]; readonly nextCursor: string | null } => {
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last === undefined ? null : cursorOf(last) };
};

/** The number at which the next page of a list starts, from the `nextCursor` of the previous page. */
export const sequenceIn = (cursor: string | undefined): bigint | undefined => {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) {
    throw new InvalidRequest('cursor must be the nextCursor of an earlier page.', { param: 'cursor' });
  }
  return cursor === undefined ? undefined : BigInt(cursor);
};
