import type { AccountLinks } from '#people/accounts/account-links';
import { defineError } from '#kernel/app-error';
import { REPLAY_EXPIRED } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';
import type { KeyLimits } from './key-limits';
import type { ScopeRefusal } from './key-scopes';

const KEY_EXPIRED = errorCode('KEY_EXPIRED', ['unauthenticated', 'conflict'], {
  means: 'This key has expired and can’t be revived.',
  remedy: 'Make a new one at `manageKeys`.',
});

const linksOf = ({ manageKeys, signIn }: AccountLinks) => ({ links: { manageKeys, signIn } });

export const KeyNotFound = defineError(
  errorCode('KEY_NOT_FOUND', 'unauthenticated', {
    means: 'There is no such key: it was deleted, or mistyped.',
    remedy: 'Make a new one at `manageKeys`. Keys are `lp_` and 64 letters and digits.',
  }),
  (links: AccountLinks, wellFormed: boolean) => ({
    message: wellFormed
      ? 'There is no such key; it may have been deleted. Make a new one.'
      : 'This is not a Lamppost key: keys are lp_ and 64 letters and digits, sent as x-api-key or as Bearer.',
    ...linksOf(links),
  }),
);

export const KeyExpired = defineError(KEY_EXPIRED, (links: AccountLinks) => ({
  message: 'This key has expired and cannot be revived. Make a new one.',
  ...linksOf(links),
}));

export const KeyDisabled = defineError(
  errorCode('KEY_DISABLED', 'unauthenticated', {
    means: 'Its owner has switched this key off.',
    remedy: 'Switch it on at `manageKeys`, or use another key.',
  }),
  (links: AccountLinks) => ({
    message: 'This key is disabled. Enable it, or use another one.',
    ...linksOf(links),
  }),
);

/** The key works, but its scopes do not allow this call. */
export const KeyScope = defineError(
  errorCode('KEY_SCOPE', 'forbidden', {
    means:
      'The key works, but not for this: its scopes, or those of a key above it, exclude it. `param` names the scope.',
    remedy: 'Use a key that may, or ask its owner to change the scopes. The message names permitted uses.',
  }),
  ({ scope, reason }: ScopeRefusal) => ({
    message: `This key may not do this (scope ${scope}): ${reason}.`,
    param: `scopes.${scope}`,
  }),
);

export const TooManyKeys = defineError(
  errorCode('TOO_MANY_KEYS', 'conflict', {
    means: 'The owner of the keys already has a hundred working ones.',
    remedy: 'Delete one that is no longer used, or wait until one expires.',
  }),
  ({ all, ofDelegated, belowOne }: KeyLimits, isOfPart: boolean) =>
    isOfPart
      ? `The limit is ${belowOne} keys below one key, ${ofDelegated} made by delegated keys, and ${all} in all. Delete one that is no longer used.`
      : `There are ${all} keys that work already. Delete one that is no longer used.`,
);

/** The owner asked for a change that would revive an expired key. */
export const ExpiredForGood = defineError(
  KEY_EXPIRED,
  (param: string) => ({
    message: 'An expired key cannot be revived. Make a new one.',
    param,
  }),
  { kind: 'conflict' },
);

/** Access tokens stand for the key of an app, and nobody may see its secret. */
export const AppHasNoSecret = defineError(
  errorCode('APP_KEY', 'conflict', {
    means: 'The key acts for an app that a person has connected, so it has no secret to show.',
    remedy: 'To disconnect the app, delete the key. To let a program call, make another key.',
  }),
  'This key acts for an app that you have connected, so it has no secret. Make another key for a program.',
);

/** The call was repeated too late: the key exists, but its secret is stored nowhere. */
export const KeyNotShownAgain = defineError(
  REPLAY_EXPIRED,
  'This call made its key before, and a key is shown only once. Make one with a new Idempotency-Key.',
  { param: 'Idempotency-Key' },
);
