import { Injectable } from '@nestjs/common';

import type { Micro } from '#kernel/money';
import { Database } from '#platform/database/database';
import { sqlStateOf } from '#platform/database/error-fields';
import { SqlState } from '#platform/database/sql-state';
import { ENDED_RESERVES, GIVE_BACK_RESERVE, SET_ASIDE } from './key-reserve.sql';
import { refusalOf } from './ledger-refusals';

/** The source of a reserve's money, and the keys and the budget that the reserve counts against. */
export interface ReserveSource {
  readonly account: string;
  readonly counted: readonly string[];
  /** The key from whose reserve the money comes; undefined if it comes from the account. */
  readonly outOf?: string;
}

/** Reserves money of an account for keys, and returns it. */
@Injectable()
export class KeyReserveRepository {
  constructor(private readonly db: Database) {}

  /** Reserves money for a key, once. `short` if the account, or the reserve of a key above, has too little. */
  async setAside(
    keyId: string,
    amount: Micro,
    from: ReserveSource,
  ): Promise<'done' | 'short' | 'key-limit' | 'budget'> {
    const values = [keyId, from.account, amount, from.counted, from.outOf];
    try {
      if ((await this.db.one(SET_ASIDE, values, 'ledger-set-aside')) !== undefined) return 'done';
      // An equal call may have made the reserve with the last money.
      const mine = 'select from key_reserve where key_id = $1';
      return (await this.db.one(mine, [keyId], 'ledger-reserve-of')) === undefined ? 'short' : 'done';
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === 'key-limit' || refusal === 'budget' || refusal === 'short') return refusal;
      // Two equal calls ran at once, and the other one has made the reserve.
      if (sqlStateOf(error) === SqlState.uniqueViolation) return 'done';
      throw error;
    }
  }

  /** Ended keys that still have a reserve. */
  async ended(most: number): Promise<readonly string[]> {
    const ended = await this.db.rows<{ id: string }>(ENDED_RESERVES, [most], 'ledger-ended-reserves');
    return ended.map(({ id }) => id);
  }

  async giveBack(keyId: string): Promise<void> {
    await this.db.one(GIVE_BACK_RESERVE, [keyId], 'ledger-give-back-reserve');
  }
}
