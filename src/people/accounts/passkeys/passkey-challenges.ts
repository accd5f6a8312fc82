import { createHash, randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Clock } from '#kernel/clock';
import { SigningKeys } from '#platform/config/signing-keys';

const PURPOSE = 'passkey challenges';
const MINUTES_MAX = 5;

export interface Challenge {
  readonly at: Date;
  readonly hash: Buffer;
}

/**
 * Challenges for passkeys. The service signs them and does not store them, so strangers can't fill a table with them.
 * A table has the hashes of answered ones for an hour, so a
 * challenge works once. Only an answer with a right signature adds a row.
 */
@Injectable()
export class PasskeyChallenges {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
  ) {}

  /** `about` is the account that may add a passkey with this challenge; it is empty for a sign-in. */
  make(about = ''): string {
    return this.keys.seal(PURPOSE, JSON.stringify([this.clock.now().getTime(), about, randomUUID()]));
  }

  /**
   * A challenge with the time at which it was made. Undefined if it is not ours, is about another account, or is too
   * old.
   */
  read(encoded: string, about = ''): Challenge | undefined {
    const text = this.keys.unseal(PURPOSE, Buffer.from(encoded, 'base64url').toString());
    if (text === undefined) return undefined;
    const [time, wanted] = JSON.parse(text) as [number, string];
    const age = this.clock.now().getTime() - time;
    if (wanted !== about || age > MINUTES_MAX * 60_000) return undefined;
    return { at: new Date(time), hash: createHash('sha256').update(text).digest() };
  }
}
