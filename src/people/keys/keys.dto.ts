import { NextCursorField } from '#platform/http/routes/page-query';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  NoSlipOf,
  ObjectField,
  OnlyKnownNames,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';
import { describedSchemaOf } from '#platform/http/routes/schema-of';
import { KEY_DAYS } from './key-limits';
import { type KeyScopes, ROUTE_SCOPES } from './key-scopes';

const DAYS = { oneOf: [{ type: 'integer', enum: KEY_DAYS }, { type: 'null' }] };
const LIMIT = {
  oneOf: [{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, { type: 'null' }],
};
const WHEN_OR_NULL = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

/** The permissions of a key. A missing field is not limited. */
@OnlyKnownNames()
export class KeyScopesBody {
  @SchemaField(
    {
      about:
        'The routes that the key may call: `read` is models, quotes, balance, own jobs, events and receipts; ' +
        '`studio` is /v1/chat/completions, /v1/responses, /v1/messages and /v1/models/{call}.',
      optional: true,
      example: ['chat', 'read'],
    },
    { type: 'array', items: { type: 'string', enum: ROUTE_SCOPES }, uniqueItems: true },
  )
  readonly routes?: KeyScopes['routes'];
  @SchemaField(
    { about: 'The ids of the models.', optional: true, example: ['lumen-chat'] },
    { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: 100 },
  )
  readonly models?: readonly string[];
  @AmountField({ min: 1, optional: true, about: 'The most that one call may cost, in micro-USD.' })
  readonly priceMicroMax?: number;
  @SchemaField(
    { about: 'Networks that calls may come from, in CIDR.', optional: true, example: ['203.0.113.0/24'] },
    { type: 'array', items: { type: 'string', minLength: 2, maxLength: 50 }, minItems: 1, maxItems: 50 },
  )
  readonly ips?: readonly string[];
  @WholeField({ min: 1, max: 1_000_000, optional: true, about: 'Calls in a minute.' })
  readonly perMinute?: number;
}

/** The limits of a key besides that of 30 days. */
@OnlyKnownNames()
export class SpendLimitsBody {
  @AmountField({ min: 1, optional: true, about: 'In a day of UTC.' }) readonly dayMicro?: number;
  @AmountField({ min: 1, optional: true, about: 'In a month of UTC.' }) readonly monthMicro?: number;
  @AmountField({ min: 1, optional: true, about: 'In its whole life.' }) readonly totalMicro?: number;
}

const SCOPES_ABOUT = 'The scopes of the key. A scope that is left out is not limited.';
const LIMITS_ABOUT = 'The limits of its spending in a day, in a month, and in its whole life.';

const orNull = (type: abstract new (...args: never[]) => object) => ({
  oneOf: [describedSchemaOf(type), { type: 'null' }],
});

const DAYS_ABOUT = 'Days from now until it expires; null is never.';
const LIMIT_ABOUT = 'The limit of its spending in 30 days, in micro-USD; null is no limit.';

@NoSlipOf('spendLimitMicro', 'spendLimits', 'scopes')
export class NewKeyBody {
  @TextField({ min: 1, max: 100, example: 'my agent' }) readonly name: string;
  @SchemaField({ about: DAYS_ABOUT, example: 90 }, DAYS) readonly expiresInDays: number | null;
  @SchemaField({ about: LIMIT_ABOUT, optional: true }, LIMIT) readonly spendLimitMicro?: number | null;
  @ObjectField(() => SpendLimitsBody, { about: LIMITS_ABOUT, optional: true })
  readonly spendLimits?: SpendLimitsBody;
  @ObjectField(() => KeyScopesBody, { about: SCOPES_ABOUT, optional: true }) readonly scopes?: KeyScopesBody;
}

export class RotateBody {
  @WholeField({
    min: 0,
    max: 604_800,
    about:
      'The seconds for which the present secret stays valid. With 0 it ends at once, and so do the keys below.',
    example: 3_600,
  })
  readonly overlapSeconds: number;
}

@NoSlipOf('enabled', 'expiresInDays', 'spendLimitMicro', 'spendLimits', 'scopes')
export class KeyChangeBody {
  @TextField({ min: 1, max: 100, optional: true }) readonly name?: string;
  @FlagField({ optional: true }) readonly enabled?: boolean;
  @SchemaField({ about: DAYS_ABOUT, optional: true }, DAYS) readonly expiresInDays?: number | null;
  @SchemaField({ about: LIMIT_ABOUT, optional: true }, LIMIT) readonly spendLimitMicro?: number | null;
  @SchemaField({ about: `${LIMITS_ABOUT} Null removes all limits.`, optional: true }, orNull(SpendLimitsBody))
  readonly spendLimits?: SpendLimitsBody | null;
  @SchemaField({ about: `${SCOPES_ABOUT} Null removes all scopes.`, optional: true }, orNull(KeyScopesBody))
  readonly scopes?: KeyScopesBody | null;
}

export class NewKeyAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @TextField({ max: 67, about: 'The key itself. It is never shown again: keep it in a safe place.' })
  readonly key: string;
  @TextField({ max: 11, about: 'Its beginning, to distinguish keys.' }) readonly prefix: string;
  @SchemaField({ about: 'Null is never.' }, WHEN_OR_NULL) readonly expiresAt: string | null;
  @FlagField() readonly enabled: boolean;
}

/** The previous secret, while both secrets work. */
export class PreviousSecret {
  @WhenField({ about: 'The time at which the secret ends.' }) readonly worksUntil: string;
  @SchemaField({ about: 'The time of the last call with this secret since the change.' }, WHEN_OR_NULL)
  readonly lastUsedAt: string | null;
  @SchemaField({ about: 'The time of the last call with the new secret.' }, WHEN_OR_NULL)
  readonly newLastUsedAt: string | null;
}

/** The app that acts by a key. */
export class KeyAppAnswer {
  @TextField({ max: 100, about: 'Its name, as it gives it.' }) readonly name: string;
  @TextField({ max: 260, about: 'The host that vouches for it, or to which its sign-in returned.' })
  readonly host: string;
}

const APP_ABOUT = 'The app that a person has connected; absent for other keys.';

export const AppField = (): PropertyDecorator =>
  ObjectField(() => KeyAppAnswer, { about: APP_ABOUT, optional: true });

export class KeyAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @TextField({ max: 11, about: 'The beginning of the key.' }) readonly prefix: string;
  @ChoiceField(['active', 'disabled', 'expired']) readonly state: string;
  @FlagField() readonly enabled: boolean;
  @WhenField() readonly createdAt: string;
  @SchemaField({ about: 'Null is never.' }, WHEN_OR_NULL) readonly expiresAt: string | null;
  @SchemaField({ about: 'Null is no limit.' }, LIMIT) readonly spendLimitMicro: number | null;
  @AmountField({ about: 'Calls that were paid with it, ever.' })
  readonly requestCount: number;
  @AmountField({ about: 'Spent in the last 30 days.' })
  readonly spend30dMicro: number;
  @SchemaField({ about: 'The time of the last call that this key paid.' }, WHEN_OR_NULL)
  readonly lastUsedAt: string | null;
  @ObjectField(() => SpendLimitsBody, { about: LIMITS_ABOUT }) readonly spendLimits: SpendLimitsBody;
  @ObjectField(() => KeyScopesBody, { about: SCOPES_ABOUT }) readonly scopes: KeyScopesBody;
  @AmountField({ about: 'The amount spent in its whole life, with the reserves of keys below it.' })
  readonly spentMicro: number;
  @AmountField({
    about:
      'The most that calls with it and with the keys below it can still spend today, from the present balance.',
  })
  readonly mayLoseTodayMicro: number;
  @SchemaField(
    { about: 'Spent on each of the last 30 days of UTC, in micro-USD; the last one is today.' },
    { type: 'array', items: { type: 'integer', minimum: 0 } },
  )
  readonly days: readonly number[];
  @ObjectField(() => PreviousSecret, { about: 'The earlier secret, while the key has two.', optional: true })
  readonly previousSecret?: PreviousSecret;
  @WholeField({
    min: 0,
    max: 3,
    about: 'The number of delegations between the owner and this key; 0 is a key of your own.',
  })
  readonly depth: number;
  @TextField({ max: 60, about: 'The key that made it.', optional: true }) readonly parentId?: string;
  @AmountField({ about: 'The rest of the reserve of this key.', optional: true })
  readonly reserveLeftMicro?: number;
  @TextField({ max: 60, about: 'The id of the member who made the key.', optional: true })
  readonly madeBy?: string;
  @AppField() readonly app?: KeyAppAnswer;
}

export class KeysAnswer {
  @ListField(() => KeyAnswer, { about: 'Newest first.' }) readonly keys: readonly KeyAnswer[];
  @NextCursorField() readonly nextCursor: string | null;
}
