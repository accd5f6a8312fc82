import {
  ChoiceField,
  FlagField,
  ListField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '../platform/http/routes/fields';

/** How long a key may live, in days; `null` is for ever. */
export const KEY_DAYS = [30, 90, 365] as const;

const DAYS = { oneOf: [{ type: 'integer', enum: KEY_DAYS }, { type: 'null' }] };
const LIMIT = {
  oneOf: [{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, { type: 'null' }],
};
const WHEN_OR_NULL = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

const DAYS_ABOUT = 'Days from now until it expires; null is never.';
const LIMIT_ABOUT = 'What the key may spend in 30 days, in micro-USD; null is no limit.';

export class NewKeyBody {
  @TextField({ min: 1, max: 100, example: 'my agent' }) readonly name: string;
  @SchemaField({ about: DAYS_ABOUT, example: 90 }, DAYS) readonly expiresInDays: number | null;
  @SchemaField({ about: LIMIT_ABOUT, optional: true }, LIMIT) readonly spendLimitMicro?: number | null;
}

export class KeyChangeBody {
  @TextField({ min: 1, max: 100, optional: true }) readonly name?: string;
  @FlagField({ optional: true }) readonly enabled?: boolean;
  @SchemaField({ about: DAYS_ABOUT, optional: true }, DAYS) readonly expiresInDays?: number | null;
  @SchemaField({ about: LIMIT_ABOUT, optional: true }, LIMIT) readonly spendLimitMicro?: number | null;
}

export class NewKeyAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @TextField({ max: 67, about: 'The key itself. It is never shown again: keep it in a safe place.' })
  readonly key: string;
  @TextField({ max: 11, about: 'Its beginning, to tell keys apart.' }) readonly prefix: string;
  @SchemaField({ about: 'Null is never.' }, WHEN_OR_NULL) readonly expiresAt: string | null;
  @FlagField() readonly enabled: boolean;
}

export class KeyAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @TextField({ max: 11, about: 'The beginning of the key.' }) readonly prefix: string;
  @ChoiceField(['active', 'disabled', 'expired']) readonly state: string;
  @FlagField() readonly enabled: boolean;
  @WhenField() readonly createdAt: string;
  @SchemaField({ about: 'Null is never.' }, WHEN_OR_NULL) readonly expiresAt: string | null;
  @SchemaField({ about: 'Null is no limit.' }, LIMIT) readonly spendLimitMicro: number | null;
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER, about: 'Calls that were paid with it, ever.' })
  readonly requestCount: number;
  @WholeField({ min: 0, max: Number.MAX_SAFE_INTEGER, about: 'Spent in the last 30 days.' })
  readonly spend30dMicro: number;
  @SchemaField({ about: 'When a call was last paid with it.' }, WHEN_OR_NULL)
  readonly lastUsedAt: string | null;
}

export class KeysAnswer {
  @ListField(() => KeyAnswer, { about: 'Newest first.' }) readonly keys: readonly KeyAnswer[];
}
