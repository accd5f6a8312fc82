import { AppError } from '../kernel/app-error';
import type { AccountLinks } from './account-links';
import type { Role } from './roles';

export class EmailTaken extends AppError {
  readonly kind = 'conflict';
  readonly code = 'EMAIL_TAKEN';

  constructor() {
    super('There is an account with this email address. Sign in instead.', { param: 'email' });
  }
}

/** The same words for an unknown address and a wrong password, so that nobody learns who has an account. */
export class InvalidLogin extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'INVALID_LOGIN';

  constructor(message = 'The email address or the password is wrong.') {
    super(message);
  }
}

/** Attackers try these first, so the limit on sign-ins would not protect the account. */
export class CommonPassword extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';

  constructor(param: 'password' | 'next') {
    super(`${param} is a common one, or your own name. Choose another one, such as four words of your own.`, {
      param,
    });
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

/** The same fact for a member, who may use everything else. */
export class OrganisationClosed extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'ACCOUNT_BANNED';

  constructor({ manageKeys, signIn }: AccountLinks) {
    super(
      'This organisation is closed. Its owners may write to support if they think that this is a mistake.',
      {
        links: { manageKeys, signIn },
      },
    );
  }
}

/** A caller who is no member learns nothing: not even whether the organisation exists. */
export class NoSuchOrganisation extends AppError {
  readonly kind = 'not_found';
  readonly code = 'NOT_FOUND';

  constructor(param: string) {
    super('There is no organisation with this id, or you are no member of it.', { param });
  }
}

/** `needed` are the permitted roles, the highest first. */
export class RoleRequired extends AppError {
  readonly kind = 'forbidden';
  readonly code = 'ROLE_REQUIRED';

  constructor(needed: readonly Role[], role: Role) {
    super(
      `This needs the role ${listOf(needed)}; yours in this organisation is ${role}. Ask one of its owners.`,
    );
  }
}

const listOf = (roles: readonly Role[]): string =>
  roles.length < 2 ? roles.join('') : `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`;

export class OriginMismatch extends AppError {
  readonly kind = 'forbidden';
  readonly code = 'ORIGIN_MISMATCH';

  constructor(origin: string) {
    super(`A signed-in call that changes something must come from ${origin}, named in its Origin header.`);
  }
}

/** Hashing a password is slow by design; a flood of sign-ins must not slow paying callers. */
export class SignInBusy extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor() {
    super('Too many people are signing in; send the same call again shortly.', {
      retryAfterSeconds: 2,
    });
  }
}
