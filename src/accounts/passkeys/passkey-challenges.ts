import { randomUUID } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { Clock } from '../../kernel/clock';
import { SigningKeys } from '../../platform/config/signing-keys';

const PURPOSE = 'passkey challenges';
const MINUTES_MAX = 5;

/**
 * Challenges for passkeys. They are signed instead of stored, so that strangers who ask for many fill no table. A passkey
 * remembers the time of the last one that it answered, so each is answered once.
 */
@Injectable()
export class PasskeyChallenges {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
  ) {}

  /** `about` is the account that may add a passkey with it, or nothing for a sign-in. */
  make(about = ''): string {
    return this.keys.seal(PURPOSE, JSON.stringify([this.clock.now().getTime(), about, randomUUID()]));
  }

  /** The time at which a challenge was made. Undefined if it is not ours, is about another account, or is too old. */
  issuedAt(encoded: string, about = ''): Date | undefined {
    const text = this.keys.unseal(PURPOSE, Buffer.from(encoded, 'base64url').toString());
    if (text === undefined) return undefined;
    const [time, wanted] = JSON.parse(text) as [number, string];
    const age = this.clock.now().getTime() - time;
    return wanted === about && age <= MINUTES_MAX * 60_000 ? new Date(time) : undefined;
  }
}
