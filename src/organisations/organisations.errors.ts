import { AppError, NotFound } from '../kernel/app-error';

export class OwnRole extends AppError {
  readonly kind = 'conflict';
  readonly code = 'OWN_ROLE';

  constructor() {
    super('Nobody can change their own role. Ask another owner, or leave.', { param: 'role' });
  }
}

export class LastOwner extends AppError {
  readonly kind = 'conflict';
  readonly code = 'LAST_OWNER';

  constructor(message = 'You are the last owner here: make somebody else an owner before you leave.') {
    super(message);
  }
}

/**
 * A person's own organisation is their account. Nobody can remove the person from it, and only closing the account ends
 * it.
 */
export class PersonalOrganisation extends LastOwner {
  constructor(isSelf: boolean) {
    super(
      isSelf
        ? 'This is your own organisation, which is your account: you cannot leave it, or delete it without closing your account.'
        : 'This organisation is that person’s own account: they stay its owner.',
    );
  }
}

export class AlreadyMember extends AppError {
  readonly kind = 'conflict';
  readonly code = 'ALREADY_MEMBER';

  constructor(message: string) {
    super(message);
  }
}

export class NoInvite extends NotFound {
  constructor() {
    super('There is no such invite. Check that the link is complete.');
  }
}

export class InviteExpired extends AppError {
  readonly kind = 'gone';
  readonly code = 'INVITE_EXPIRED';

  constructor(why: string) {
    super(`${why} Ask for a new one.`);
  }
}

export class InviteAddress extends AppError {
  readonly kind = 'forbidden';
  readonly code = 'INVITE_ADDRESS';

  constructor() {
    super(
      'This invite is for another email address than yours. Sign in with that one, or ask for an invite of your own.',
    );
  }
}

/** Only the mail proves the address of an invite, so an invite for an address needs a mail server. */
export class InviteNotMailed extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor(cause: Error) {
    super('The invite could not be sent by mail, and was not made. Send the same call again shortly.', {
      cause,
      retryAfterSeconds: 30,
    });
  }
}

export class TooManyMembers extends AppError {
  readonly kind = 'conflict';
  readonly code = 'TOO_MANY_MEMBERS';

  constructor(most: number) {
    super(`There are ${most} members and open invites. Remove a member or withdraw an invite first.`);
  }
}

export class TooManyOrganisations extends AppError {
  readonly kind = 'conflict';
  readonly code = 'TOO_MANY_ORGANISATIONS';

  constructor(whose: string, most: number) {
    super(`${whose} ${most} organisations, which is the most that one person can own.`);
  }
}
