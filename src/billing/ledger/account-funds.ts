import { Injectable } from '@nestjs/common';

import type { Micro } from '../../kernel/money';
import type { LedgerEntry } from './ledger-entry.entity';
import { LedgerRepository, type Within } from './ledger.repository';

/**
 * What modules do with a ledger account: pay money in, take it, read it. What a call costs belongs to its charge and is debited
 * there. Accounts are named by `account-id.ts`.
 *
 * `manager` is the `EntityManager` of a transaction of the module's own: the money moves when that transaction commits, and not
 * at all when it is rolled back.
 */
@Injectable()
export class AccountFunds {
  constructor(private readonly ledger: LedgerRepository) {}

  /** Credits money, once for each source. Undefined when this source was credited before. */
  topUp(
    account: string,
    amount: Micro,
    source: string,
    { transaction, manager }: { readonly transaction?: string } & Within = {},
  ): Promise<Micro | undefined> {
    return this.ledger.topUp(account, amount, source, transaction, manager);
  }

  /**
   * Takes money, once for each mark, and answers what is left to spend. Undefined when this mark was debited before. Money that
   * is set aside stays, and `BalanceTooLow` says that the rest is too little.
   */
  debit(account: string, amount: Micro, mark: string, { manager }: Within = {}): Promise<Micro | undefined> {
    return this.ledger.debit(account, amount, mark, manager);
  }

  /** What calls may spend; 0 for an account that never had money. */
  balance(account: string): Promise<Micro> {
    return this.ledger.balance(account);
  }

  /** What is set aside of it: for keys, and for calls that are charged by use and still run. */
  reserved(account: string): Promise<Micro> {
    return this.ledger.setAsideOf(account);
  }

  /** Whether money ever came in: as a top-up, or for calls that a wallet paid on chain. */
  hasPaid(account: string): Promise<boolean> {
    return this.ledger.hasPaid(account);
  }

  /** The balances of many accounts at once. */
  balances(accounts: readonly string[]): Promise<ReadonlyMap<string, Micro>> {
    return this.ledger.balances(accounts);
  }

  /** Newest first; `before` is the sequence of the last entry of the page before. */
  entries(
    account: string,
    limit: number,
    before?: bigint,
    kind?: LedgerEntry['kind'],
  ): Promise<LedgerEntry[]> {
    return this.ledger.entries(account, limit, before, kind);
  }
}
