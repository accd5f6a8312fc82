import { FlagField, ListField, TextField, WhenField } from '../platform/http/routes/fields';

const EMAIL = { min: 3, max: 254, format: 'email', example: 'you@example.com' } as const;

export class RegisterBody {
  @TextField(EMAIL) readonly email: string;
  @TextField({ min: 10, max: 200, about: 'At least 10 characters.' }) readonly password: string;
}

export class SignInBody {
  @TextField(EMAIL) readonly email: string;
  @TextField({ min: 1, max: 200 }) readonly password: string;
}

export class PasswordBody {
  @TextField({ min: 1, max: 200 }) readonly current: string;
  @TextField({ min: 10, max: 200, about: 'At least 10 characters.' }) readonly next: string;
}

export class SignedInAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 254 }) readonly email: string;
  @WhenField() readonly createdAt: string;
}

export class SessionAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 200, optional: true, about: 'The browser, as it names itself.' })
  readonly device?: string;
  @WhenField() readonly createdAt: string;
  @WhenField() readonly expiresAt: string;
  @FlagField({ about: 'Whether this call came from it.' }) readonly current: boolean;
}

export class SessionsAnswer {
  @ListField(() => SessionAnswer, { about: 'The open ones, newest first.' })
  readonly sessions: readonly SessionAnswer[];
}

export class DoneAnswer {
  @FlagField() readonly ok: boolean;
}
