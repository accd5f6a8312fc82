import type { AccountLinks } from '../accounts/account-links';
import { AppError } from '../kernel/app-error';
import type { KeyLimits } from './key.repository';
import type { ScopeRefusal } from './key-scopes';

const linksOf = ({ manageKeys, signIn }: AccountLinks) => ({ links: { manageKeys, signIn } });

export class KeyNotFound extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'KEY_NOT_FOUND';

  constructor(links: AccountLinks, wellFormed: boolean) {
    super(
      wellFormed
        ? 'There is no such key; it may have been deleted. Make a new one.'
        : 'This is not a Lamppost key: keys are lp_ and 64 letters and digits, sent as x-api-key or as Bearer.',
      linksOf(links),
    );
  }
}

export class KeyExpired extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'KEY_EXPIRED';

  constructor(links: AccountLinks) {
    super('This key has expired and cannot be revived. Make a new one.', linksOf(links));
  }
}

export class KeyDisabled extends AppError {
  readonly kind = 'unauthenticated';
  readonly code = 'KEY_DISABLED';

  constructor(links: AccountLinks) {
    super('This key is disabled. Enable it, or use another one.', linksOf(links));
  }
}

/** The key works, but its scopes do not allow this call. */
export class KeyScope extends AppError {
  readonly kind = 'forbidden';
  readonly code = 'KEY_SCOPE';

  constructor({ scope, reason }: ScopeRefusal) {
    super(`This key may not do this (scope ${scope}): ${reason}.`, {
      param: `scopes.${scope}`,
    });
  }
}

export class TooManyKeys extends AppError {
  readonly kind = 'conflict';
  readonly code = 'TOO_MANY_KEYS';

  constructor({ all, ofDelegated, belowOne }: KeyLimits, isOfPart: boolean) {
    super(
      isOfPart
        ? `The limit is ${belowOne} keys below one key, ${ofDelegated} made by delegated keys, and ${all} in all. Delete one that is no longer used.`
        : `There are ${all} keys that work already. Delete one that is no longer used.`,
    );
  }
}

/** The owner asked for a change that would revive an expired key. */
export class ExpiredForGood extends AppError {
  readonly kind = 'conflict';
  readonly code = 'KEY_EXPIRED';

  constructor(param: string) {
    super('An expired key cannot be revived. Make a new one.', { param });
  }
}

/** The call was repeated too late: the key exists, but its secret is stored nowhere. */
export class KeyNotShownAgain extends AppError {
  readonly kind = 'gone';
  readonly code = 'REPLAY_EXPIRED';

  constructor() {
    super(
      'This call made its key before, and a key is shown only once. Make one with a new Idempotency-Key.',
      {
        param: 'Idempotency-Key',
      },
    );
  }
}
