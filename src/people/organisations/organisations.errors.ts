import { NotFound, defineError } from '#kernel/app-error';
import { INTERNAL } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';

export const OwnRole = defineError(
  errorCode('OWN_ROLE', 'conflict', {
    means: 'Nobody can change their own role.',
    remedy: 'Ask another owner to change it, or leave.',
  }),
  'Nobody can change their own role. Ask another owner, or leave.',
  { param: 'role' },
);

export class LastOwner extends defineError(
  errorCode('LAST_OWNER', 'conflict', {
    means: 'An organisation always has an owner. The owner of a person’s own organisation is that person.',
    remedy: 'Make somebody else an owner first. Your own organisation is your account and stays with you.',
  }),
  (message: string = 'You are the last owner here: make somebody else an owner before you leave.') => message,
) {}

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

export const AlreadyMember = defineError(
  errorCode('ALREADY_MEMBER', 'conflict', {
    means: 'The invited person is a member already. An unused invite stays valid.',
    remedy: 'Change the role of the member instead.',
  }),
  (message: string) => message,
);

export class NoInvite extends NotFound {
  constructor() {
    super('There is no such invite. Check that the link is complete.');
  }
}

export const InviteExpired = defineError(
  errorCode('INVITE_EXPIRED', 'gone', {
    means: 'The invite was used or withdrawn, is over a week old, or its sender may no longer invite.',
    remedy: 'Ask for a new one.',
  }),
  (why: string) => `${why} Ask for a new one.`,
);

export const InviteAddress = defineError(
  errorCode('INVITE_ADDRESS', 'forbidden', {
    means: 'The invite is for another email address than the one that you are signed in with.',
    remedy: 'Sign in with the address that was invited, or ask for an invite for yours.',
  }),
  'This invite is for another email address than yours. Sign in with that one, or ask for an invite of your own.',
);

/** Only the mail proves the address of an invite, so an invite for an address needs a mail server. */
export const InviteNotMailed = defineError(
  INTERNAL,
  (cause: Error) => ({
    message: 'The invite could not be sent by mail, and was not made. Send the same call again shortly.',
    cause,
    retryAfterSeconds: 30,
  }),
  { kind: 'unavailable' },
);

export const TooManyMembers = defineError(
  errorCode('TOO_MANY_MEMBERS', 'conflict', {
    means: 'The organisation has a hundred members and open invites.',
    remedy: 'Remove a member or withdraw an invite first.',
  }),
  (most: number) =>
    `There are ${most} members and open invites. Remove a member or withdraw an invite first.`,
);

export const TooManyOrganisations = defineError(
  errorCode('TOO_MANY_ORGANISATIONS', 'conflict', {
    means: 'You own as many organisations as one person can.',
    remedy: 'Use one that you have, or leave one that others own as well.',
  }),
  (whose: string, most: number) =>
    `${whose} ${most} organisations, which is the most that one person can own.`,
);
