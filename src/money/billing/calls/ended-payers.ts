import { Injectable } from '@nestjs/common';

import { SessionAccounts } from '#people/accounts/session-accounts';
import { KeyLookup } from '#people/keys/key-lookup';
import type { ChargeDraft } from '../charges/charge';

/** Explains a refused hold whose payer was proven, but whose key or session ended while the call prepared. */
@Injectable()
export class EndedPayers {
  constructor(
    private readonly keys: KeyLookup,
    private readonly sessions: SessionAccounts,
  ) {}

  refusalOf({ proof = '' }: Pick<ChargeDraft, 'proof'>): Promise<Error> {
    const [kind, name = '', more = ''] = proof.split(' ');
    return kind === 'key' ? this.keys.endingOf(more) : this.sessions.endingOf(`${name}/${more}`);
  }
}
