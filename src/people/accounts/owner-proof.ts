import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { callerOf } from '#platform/http/limits/caller-address';
import { RateLimits } from '#platform/http/limits/rate-limits';
import type { Person } from './account.entity';
import { AccountRepository } from './account.repository';
import { InvalidLogin } from './accounts.errors';
import { Passwords } from './passwords';
import { SecondFactorCheck } from './second-factor/second-factor-check';

/** The secrets of the owner. A thief of the session does not have them. */
export interface Proof {
  readonly password: string;
  readonly code?: string;
}

/**
 * Asks a signed-in person again for the password and the second factor, before the sign-in changes or the account ends.
 */
@Injectable()
export class OwnerProof {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly passwords: Passwords,
    private readonly secondFactor: SecondFactorCheck,
    private readonly limits: RateLimits,
  ) {}

  /** Returns the hash of the right password. */
  async require(
    { id, email }: Person,
    { password, code }: Proof,
    request: FastifyRequest,
    param = 'password',
  ): Promise<string> {
    await this.limits.count('signIn', `account:${id}|${callerOf(request)}`);
    const known = await this.accounts.withPassword('id', id);
    const right = await this.passwords.matches(known?.passwordHash, password);
    if (known === undefined || !right) throw new InvalidLogin('This is not your password.', param);
    await this.secondFactor.require({ id, email }, code);
    return known.passwordHash;
  }
}
