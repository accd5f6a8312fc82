import { NextCursorField } from '#platform/http/routes/page-query';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  NoSlipOf,
  ObjectField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';
import { AppField, type KeyAppAnswer, KeyScopesBody } from '#people/keys/keys.dto';
import { DEPTH_MAX, KEY_SECONDS } from './delegation-limits';

const WHEN_OR_NULL = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

const SCOPES =
  'The scopes of the key, at most those of the key above it. A scope that is left out is inherited.';
const RESERVE =
  'Reserves the limit now, so that nothing else can spend it. The rest returns to you when the key expires or is deleted.';

@NoSlipOf('scopes', 'reserve')
export class DelegatedKeyBody {
  @TextField({ min: 1, max: 100, optional: true, example: 'research sub-agent' }) readonly name?: string;
  @AmountField({
    min: 1,
    about: 'The limit of its spending in its whole life, in micro-USD.',
    example: 1_000_000,
  })
  readonly limitMicro: number;
  @WholeField({ ...KEY_SECONDS, about: 'The seconds until the key expires.', example: 3_600 })
  readonly expiresInSeconds: number;
  @ObjectField(() => KeyScopesBody, { about: SCOPES, optional: true }) readonly scopes?: KeyScopesBody;
  @FlagField({ about: RESERVE, optional: true, default: false }) readonly reserve?: boolean;
}

class DelegatedKeyFacts {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @TextField({ max: 11, about: 'The beginning of the key, to distinguish keys.' }) readonly prefix: string;
  @AmountField({ about: 'The limit of its spending in its whole life, in micro-USD.' })
  readonly limitMicro: number;
  @AmountField({ about: 'The part of the limit that is spent, also by the keys below it.' })
  readonly spentMicro: number;
  @SchemaField({ about: 'The time at which the key expires.' }, WHEN_OR_NULL) readonly expiresAt:
    | string
    | null;
  @WholeField({ min: 1, max: DEPTH_MAX, about: 'The number of delegations between the owner and this key.' })
  readonly depth: number;
  @ObjectField(() => KeyScopesBody, { about: SCOPES }) readonly scopes: KeyScopesBody;
  @FlagField({ about: 'Whether its limit was set aside for it.' }) readonly reserve: boolean;
}

export class NewDelegatedKeyAnswer extends DelegatedKeyFacts {
  @TextField({ max: 67, about: 'The key itself. It is never shown again: keep it in a safe place.' })
  readonly key: string;
}

export class DelegatedKeyAnswer extends DelegatedKeyFacts {
  @ChoiceField(['active', 'disabled', 'expired']) readonly state: string;
  @WhenField() readonly createdAt: string;
  @TextField({
    max: 60,
    about: 'The key that made it; absent if you made it without a delegated key.',
    optional: true,
  })
  readonly parentId?: string;
  @AmountField({ about: 'The rest of the reserve of this key.', optional: true })
  readonly reserveLeftMicro?: number;
  @AmountField({ about: 'Calls that were paid with it or below it.' }) readonly requestCount: number;
  @SchemaField({ about: 'The time of the last call that this key paid.' }, WHEN_OR_NULL)
  readonly lastUsedAt: string | null;
  @AppField() readonly app?: KeyAppAnswer;
}

export class DelegatedKeysAnswer {
  @ListField(() => DelegatedKeyAnswer, { about: 'Your keys and all keys below them, newest first.' })
  readonly keys: readonly DelegatedKeyAnswer[];
  @NextCursorField() readonly nextCursor: string | null;
}
