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

/** An unknown address and a wrong password get the same message, so that nobody can learn who has an account. */
export class InvalidLogin extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'INVALID_LOGIN';

  constructor(message = 'The email address or the password is wrong.', param?: string) {
    super(message, { param });
  }
}

/** The caller gets this only after the right password. */
export class SecondFactorRequired extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'SECOND_FACTOR_REQUIRED';

  constructor() {
    super('Send `code` as well: six digits of your authenticator app, or a recovery code.', {
      param: 'code',
    });
  }
}

export class InvalidCode extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'INVALID_CODE';

  constructor() {
    super(
      'code is wrong, or was used before. Wait for the next one of your app, or use another recovery code.',
      {
        param: 'code',
      },
    );
  }
}

/**
 * Without this limit, a thief of the password could try all codes. The owner can still sign in with a recovery code.
 */
export class TooManyCodes extends AppError {
  readonly kind = 'rate_limited';
  readonly code = 'RATE_LIMITED';

  constructor() {
    super('Too many wrong codes within a day. Use a recovery code, or wait for a day.', {
      param: 'code',
      retryAfterSeconds: 86_400,
    });
  }
}

export class SecondFactorOn extends AppError {
  readonly kind = 'conflict';
  readonly code = 'SECOND_FACTOR_ON';

  constructor() {
    super('An authenticator app is set up already. Remove it first.');
  }
}

export class NoSecondFactor extends AppError {
  readonly kind = 'conflict';
  readonly code = 'NO_SECOND_FACTOR';

  constructor(message: string) {
    super(message);
  }
}

/** Every fault of a passkey gets the same answer, so that nobody can learn which passkeys exist. */
export class PasskeyRefused extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'PASSKEY_REFUSED';

  constructor(cause?: unknown) {
    super('This passkey was not accepted. Try again, or sign in with your password.', { cause });
  }
}

/** Browsers make passkeys for names, not for bare IP addresses. */
export class PasskeysImpossible extends AppError {
  readonly kind = 'conflict';
  readonly code = 'PASSKEYS_UNAVAILABLE';

  constructor(message = 'Passkeys need a service with a host name; this one has an IP address.') {
    super(message);
  }
}

export class ResetExpired extends AppError {
  readonly kind = 'gone';
  readonly code = 'RESET_EXPIRED';

  constructor() {
    super('This link was used before, is too old, or is incomplete. Ask for a new one.', { param: 'token' });
  }
}

export class ProofExpired extends AppError {
  readonly kind = 'gone';
  readonly code = 'PROOF_EXPIRED';

  constructor() {
    super(
      'This link is too old, incomplete, or for another account. POST /v1/account/address-proof/mail sends a new one.',
      {
        param: 'token',
      },
    );
  }
}

export class ProofRefused extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';

  constructor() {
    super('The mail server refuses your address. Make an account with another one.');
  }
}

/** The mail server did not take the mail, so no link is under way. */
export class ProofNotMailed extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor(why: string) {
    super('The mail could not be sent. Try again in 30 seconds.', {
      cause: new Error(why),
      retryAfterSeconds: 30,
    });
  }
}

export class EmailNotProven extends AppError {
  readonly kind = 'forbidden';
  readonly code = 'EMAIL_NOT_PROVEN';

  constructor() {
    super(
      'This needs a proven email address. Open the link in your mail. POST /v1/account/address-proof/mail sends it again.',
    );
  }
}

export class NoMail extends AppError {
  readonly kind = 'conflict';
  readonly code = 'NO_MAIL';

  constructor() {
    super('This service sends no mail. Ask its operator for a link that sets a new password.');
  }
}

/** The balance of a closed account is lost, so the owner must name the amount. */
export class BalanceDiffers extends AppError {
  readonly kind = 'conflict';
  readonly code = 'BALANCE_DIFFERS';

  constructor(micro: string) {
    super(`The balance is ${micro} micro-dollars. Send this number as leaveMicro to leave it behind.`, {
      param: 'leaveMicro',
    });
  }
}

/** Attackers try common passwords first. The limit on sign-ins can't protect an account with such a password. */
export class CommonPassword extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';

  constructor(param: string) {
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

/** This organisation is closed. Its members may still act for themselves and for other organisations. */
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

/** A caller who is no member must not even learn whether the organisation exists. */
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

/** The hash of a password is slow by design. This limit prevents that a flood of sign-ins slows paying callers. */
export class SignInBusy extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor() {
    super('Too many people are signing in; send the same call again shortly.', {
      retryAfterSeconds: 2,
    });
  }
}
