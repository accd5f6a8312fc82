import { Injectable } from '@nestjs/common';

import type { Micro } from '#kernel/money';
import { type EntriesOf, type EntryPage, LedgerEntriesRepository } from './ledger-entries.repository';
import { LedgerRepository, type Within } from './ledger.repository';

/**
 * Modules pay money into the ledger, take money from it and read balances only through this class. The cost of a call
 * belongs to its charge, which debits it. `account-id.ts` names the accounts. `manager` belongs to the module's own
 * transaction: the money moves only if that transaction commits.
 */
@Injectable()
export class AccountFunds {
  constructor(
    private readonly ledger: LedgerRepository,
    private readonly list: LedgerEntriesRepository,
  ) {}

  /** Credits money, once for each source. Undefined if the source was already credited. */
  topUp(
    account: string,
    amount: Micro,
    source: string,
    { transaction, manager }: { readonly transaction?: string } & Within = {},
  ): Promise<Micro | undefined> {
    return this.ledger.topUp(account, amount, source, transaction, manager);
  }

  /**
   * Takes money, once for each `mark`, and returns the remaining money. Undefined if the mark was already debited.
   * Throws `BalanceTooLow` if the unreserved money is too little.
   */
  debit(account: string, amount: Micro, mark: string, { manager }: Within = {}): Promise<Micro | undefined> {
    return this.ledger.debit(account, amount, mark, manager);
  }

  /** The money that calls may spend; 0 for an account that never had money. */
  balance(account: string): Promise<Micro> {
    return this.ledger.balances.of(account);
  }

  /** The reserved part of the balance: for delegated keys, and for running by-use calls. */
  reserved(account: string): Promise<Micro> {
    return this.ledger.balances.reserved(account);
  }

  /** Whether the account was ever paid: by a top-up, or by on-chain payments of the wallet. */
  hasPaid(account: string): Promise<boolean> {
    return this.ledger.balances.hasPaid(account);
  }

  /** The balances of many accounts at once. */
  balances(accounts: readonly string[]): Promise<ReadonlyMap<string, Micro>> {
    return this.ledger.balances.ofMany(accounts);
  }

  /** A page of the entries that a view contains, newest first. */
  page(account: string, which: EntriesOf): Promise<EntryPage> {
    return this.list.page(account, which);
  }
}
