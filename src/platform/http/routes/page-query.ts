import { InvalidRequest } from '#kernel/app-error';
import { TextField, WholeField } from './fields';

const CURSOR_CHARS_MAX = 60;

/** The page of a list that a caller asks for: `@Query() page: PageQuery`. */
export class PageQuery {
  @WholeField({ min: 1, max: 200, default: 50, optional: true }) readonly limit: number;
  @TextField({ max: CURSOR_CHARS_MAX, optional: true, about: 'The `nextCursor` of the page before.' })
  readonly cursor?: string;
}

/** The number at which the next page of a list starts, from the `nextCursor` of the previous page. */
export const sequenceIn = (cursor: string | undefined): bigint | undefined => {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) {
    throw new InvalidRequest('cursor must be the nextCursor of an earlier page.', { param: 'cursor' });
  }
  return cursor === undefined ? undefined : BigInt(cursor);
};
