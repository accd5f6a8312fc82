import { AppError } from '../kernel/app-error';
import type { AccountLinks } from './account-links';

export class EmailTaken extends AppError {
  readonly kind = 'conflict';
  readonly code = 'EMAIL_TAKEN';

  constructor() {
    super('There is an account with this email address. Sign in instead.', { param: 'email' });
  }
}

/** Says the same for an unknown address and a wrong password: who has an account is nobody's business. */
export class InvalidLogin extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'INVALID_LOGIN';

  constructor(message = 'The email address or the password is wrong.') {
    super(message);
  }
}

export class NotSignedIn extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'MISSING_CREDENTIALS';

  constructor({ signIn }: AccountLinks) {
    super('You are not signed in, or your session has ended. Sign in, then send it again.', {
      links: { signIn },
    });
  }
}

export class AccountBanned extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'ACCOUNT_BANNED';

  constructor({ manageKeys, signIn }: AccountLinks) {
    super('This account is closed. Write to support if you think that this is a mistake.', {
      links: { manageKeys, signIn },
    });
  }
}

export class OriginMismatch extends AppError {
  readonly kind = 'forbidden';
  readonly code = 'ORIGIN_MISMATCH';

  constructor(origin: string) {
    super(`A signed-in call that changes something must come from ${origin}, named in its Origin header.`);
  }
}

/** Hashing a password is made to cost; a flood of them may not take the machine from paying callers. */
export class SignInBusy extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor() {
    super('Too many people sign in at this moment; send the same call again shortly.', {
      retryAfterSeconds: 2,
    });
  }
}
