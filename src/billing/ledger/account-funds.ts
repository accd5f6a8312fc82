import { Injectable } from '@nestjs/common';

import { type Micro, micro, microFromText } from '../../kernel/money';
import { Database } from '../../platform/database/database';
import { walletOf } from './account-id';
import type { LedgerEntry } from './ledger-entry.entity';
import { LedgerRepository } from './ledger.repository';

/**
 * What others may do with a ledger account: pay money in, read it. Debits and refunds belong to charges and have no
 * door here. Accounts are named by `account-id.ts`.
 */
@Injectable()
export class AccountFunds {
  constructor(
    private readonly ledger: LedgerRepository,
    private readonly db: Database,
  ) {}

  /** Credits money from outside, once for each source. Undefined when this source was credited before. */
  topUp(account: string, amount: Micro, source: string, transaction?: string): Promise<Micro | undefined> {
    return this.ledger.topUp(account, amount, source, transaction);
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
  async hasPaid(account: string): Promise<boolean> {
    const row = await this.db.one<{ paid: boolean }>(
      `select exists (select from ledger_entry where account_id = $1 and kind = 'top_up')
         or exists (select from x402_payer where payer = $2 and paid_in_micro > 0) as paid`,
      [account, walletOf(account) ?? ''],
      'account-funds-has-paid',
    );
    return row?.paid === true;
  }

  /** The balances of many accounts at once. */
  async balances(accounts: readonly string[]): Promise<ReadonlyMap<string, Micro>> {
    const rows = await this.db.rows<{ id: string; balance: string }>(
      'select id, balance_micro - reserved_micro as balance from ledger_account where id = any($1)',
      [accounts],
      'account-funds-balances',
    );
    const balances = new Map(rows.map(({ id, balance }) => [id, microFromText(balance)]));
    return new Map(accounts.map((account) => [account, balances.get(account) ?? micro(0n)]));
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
