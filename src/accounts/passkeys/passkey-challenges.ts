import { randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Clock } from '../../kernel/clock';
import { SigningKeys } from '../../platform/config/signing-keys';

const PURPOSE = 'passkey challenges';
const MINUTES_MAX = 5;

/**
 * Challenges for passkeys. The service signs them and does not store them, so strangers can't fill a table with them.
 * The row of a passkey stores the time of its last answered challenge, so it can't answer a challenge twice.
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
   * The time at which a challenge was made. Undefined if the challenge is not ours, is about another account, or is too
   * old.
   */
  issuedAt(encoded: string, about = ''): Date | undefined {
    const text = this.keys.unseal(PURPOSE, Buffer.from(encoded, 'base64url').toString());
    if (text === undefined) return undefined;
    const [time, wanted] = JSON.parse(text) as [number, string];
    const age = this.clock.now().getTime() - time;
    return wanted === about && age <= MINUTES_MAX * 60_000 ? new Date(time) : undefined;
  }
}
