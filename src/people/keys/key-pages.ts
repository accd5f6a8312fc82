import { SchemaField, WholeField } from '#platform/http/routes/fields';
import { PageQuery } from '#platform/http/routes/page-query';
import type { UsedKey } from './api-key';
import type { KeyPage, KeyRepository, KeysOf } from './key.repository';

/** The query of a list of keys, which includes ended ones. */
export class KeyPageQuery extends PageQuery {
  @WholeField({ min: 1, max: 200, default: 100, optional: true }) override readonly limit: number;
}

export const NextCursorField = (): PropertyDecorator =>
  SchemaField(
    { about: 'Send it as `cursor` for the next page; null on the last one.' },
    { oneOf: [{ type: 'string' }, { type: 'null' }] },
  );

/** One more than a page, to find out whether there is a next page. */
export const keyPage = async (
  rows: KeyRepository,
  whose: KeysOf,
  { limit, before }: KeyPage,
): Promise<{ readonly keys: readonly UsedKey[]; readonly nextCursor: string | null }> => {
  const found = await rows.page(whose, { limit: limit + 1, before });
  const keys = found.slice(0, limit);
  return { keys, nextCursor: found.length > limit ? (keys.at(-1)?.id ?? null) : null };
};
