import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';

import { Slots } from '#kernel/slots';
import { SignInBusy } from './accounts.errors';

/**
 * One hash takes 19 MiB and a thread for about 25 ms. With two at a time, other threads stay free for files and DNS.
 */
const AT_ONCE = 2;
const WAITING_MAX = 50;

/** The recommendation of OWASP for argon2id, which is this library's default kind. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Keyboards compose letters in different ways. After this, the same password has the same hash for every keyboard. */
const normal = (password: string): string => password.normalize('NFKC');

/** Hashes and checks passwords. It limits the number of concurrent hashes. */
@Injectable()
export class Passwords {
  private readonly slots = new Slots(AT_ONCE);
  private decoy?: Promise<string>;

  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(normal(password), COST));
  }

  /** If there is no stored hash, it checks a decoy, so that an unknown address takes as long as a wrong password. */
  async matches(stored: string | undefined, password: string): Promise<boolean> {
    this.decoy ??= hash('no password has this hash', COST);
    const against = stored ?? (await this.decoy);
    const right = await this.inTurn(() => verify(against, normal(password)));
    return right && stored !== undefined;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.slots.waitingOf() >= WAITING_MAX) throw new SignInBusy();
    return this.slots.run(work);
  }
}
