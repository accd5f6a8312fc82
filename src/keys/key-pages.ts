import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';

import { SchemaField } from '../platform/http/routes/fields';
import { TextQuery, WholeQuery } from '../platform/http/routes/query';
import type { UsedKey } from './api-key';
import type { KeyPage, KeyRepository, KeysOf } from './key.repository';

const LIMIT = { min: 1, max: 200, default: 100 } as const;
const CURSOR_CHARS_MAX = 60;

/** What a list of keys takes, since keys that have ended stay in it. */
export const ApiKeyPage = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: LIMIT.min, maximum: LIMIT.max, default: LIMIT.default },
    }),
    ApiQuery({ name: 'cursor', required: false, schema: { type: 'string', maxLength: CURSOR_CHARS_MAX } }),
  );

export const LimitOfPage = new WholeQuery('limit', LIMIT);
export const CursorOfPage = new TextQuery('cursor', CURSOR_CHARS_MAX);

export const NextCursorField = (): PropertyDecorator =>
  SchemaField(
    { about: 'Send it as `cursor` for the next page; null on the last one.' },
    { oneOf: [{ type: 'string' }, { type: 'null' }] },
  );

/** One more is read than is shown, which says whether there is a next page. */
export const keyPage = async (
  rows: KeyRepository,
  whose: KeysOf,
  { limit, before }: KeyPage,
): Promise<{ readonly keys: readonly UsedKey[]; readonly nextCursor: string | null }> => {
  const found = await rows.page(whose, { limit: limit + 1, before });
  const keys = found.slice(0, limit);
  return { keys, nextCursor: found.length > limit ? (keys.at(-1)?.id ?? null) : null };
};
