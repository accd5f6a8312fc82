import {
  ChoiceField,
  FlagField,
  ListField,
  NoSlipOf,
  ObjectField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '../platform/http/routes/fields';
import { NextCursorField } from '../keys/key-pages';
import { KeyScopesBody } from '../keys/keys.dto';

const MICRO = { min: 0, max: Number.MAX_SAFE_INTEGER };
const WHEN_OR_NULL = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

const SCOPES = 'What it may be used for: no more than the key above it; what is left out is inherited.';
const RESERVE =
  'Sets the limit aside now: it is sure to be there, and nobody else can spend it. What is left comes back when the key ends.';

@NoSlipOf('scopes', 'reserve')
export class DelegatedKeyBody {
  @TextField({ min: 1, max: 100, optional: true, example: 'research sub-agent' }) readonly name?: string;
  @WholeField({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    about: 'What it may spend in its whole life, in micro-USD.',
    example: 1_000_000,
  })
  readonly limitMicro: number;
  @WholeField({ min: 60, max: 31_536_000, about: 'How long it lives.', example: 3_600 })
  readonly expiresInSeconds: number;
  @ObjectField(() => KeyScopesBody, { about: SCOPES, optional: true }) readonly scopes?: KeyScopesBody;
  @FlagField({ about: RESERVE, optional: true, default: false }) readonly reserve?: boolean;
}

class DelegatedKeyFacts {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 100 }) readonly name: string;
  @TextField({ max: 11, about: 'The beginning of the key, to distinguish keys.' }) readonly prefix: string;
  @WholeField({ ...MICRO, about: 'What it may spend in its whole life, in micro-USD.' })
  readonly limitMicro: number;
  @WholeField({ ...MICRO, about: 'What it has spent of that, with all below it.' })
  readonly spentMicro: number;
  @SchemaField({ about: 'When it ends.' }, WHEN_OR_NULL) readonly expiresAt: string | null;
  @WholeField({ min: 1, max: 3, about: 'How often the money was handed on.' }) readonly depth: number;
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
  @TextField({ max: 60, about: 'The key that made it; left out where you did.', optional: true })
  readonly parentId?: string;
  @WholeField({ ...MICRO, about: 'What is left of what was set aside for it.', optional: true })
  readonly reserveLeftMicro?: number;
  @WholeField({ ...MICRO, about: 'Calls that were paid with it or below it.' }) readonly requestCount: number;
  @SchemaField({ about: 'When a call was last paid with it.' }, WHEN_OR_NULL)
  readonly lastUsedAt: string | null;
}

export class DelegatedKeysAnswer {
  @ListField(() => DelegatedKeyAnswer, { about: 'Yours and all below them, newest first.' })
  readonly keys: readonly DelegatedKeyAnswer[];
  @NextCursorField() readonly nextCursor: string | null;
}
