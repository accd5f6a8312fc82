import { FlagField, ListField, NoSlipOf, TextField, WhenField } from '#platform/http/routes/fields';
import { EMAIL_FIELD } from './email';
import { NEW_PASSWORD } from './password-rules';

export class RegisterBody {
  @TextField(EMAIL_FIELD) readonly email: string;
  @TextField(NEW_PASSWORD) readonly password: string;
}

/** The second factor. */
export const CODE = {
  max: 40,
  optional: true,
  about: 'With an authenticator app: its six digits, or a recovery code.',
} as const;

@NoSlipOf('code')
export class SignInBody {
  @TextField(EMAIL_FIELD) readonly email: string;
  @TextField({ min: 1, max: 200 }) readonly password: string;
  @TextField(CODE) readonly code?: string;
}

@NoSlipOf('code')
export class PasswordBody {
  @TextField({ min: 1, max: 200 }) readonly current: string;
  @TextField(NEW_PASSWORD) readonly next: string;
  @TextField(CODE) readonly code?: string;
}

export const PROOF_DUE =
  'True if keys, invites, second factors, closing and top-ups wait for the proof of the address.';

export class SignedInAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 254 }) readonly email: string;
  @WhenField() readonly createdAt: string;
  @FlagField({ about: PROOF_DUE }) readonly proofDue: boolean;
}

export class SessionAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 200, optional: true, about: 'The browser, as it names itself.' })
  readonly device?: string;
  @WhenField() readonly createdAt: string;
  @WhenField() readonly expiresAt: string;
  @FlagField({ about: 'Whether this call belongs to this session.' }) readonly current: boolean;
}

export class SessionsAnswer {
  @ListField(() => SessionAnswer, { about: 'The open sessions, newest first.' })
  readonly sessions: readonly SessionAnswer[];
}

export class DoneAnswer {
  @FlagField() readonly ok: boolean;
}
