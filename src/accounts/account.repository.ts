import { Injectable } from '@nestjs/common';

import { Database } from '../platform/database/database';
import { constraintOf } from '../platform/database/error-fields';
import type { Account } from './account';

export interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly created_at: Date;
  readonly banned_at: Date | null;
}

export const ACCOUNT_COLUMNS = 'id, email, created_at, banned_at';

export const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  email: row.email,
  createdAt: row.created_at,
  ...(row.banned_at === null ? {} : { bannedAt: row.banned_at }),
});

@Injectable()
export class AccountRepository {
  constructor(private readonly db: Database) {}

  /** Undefined when the address has an account already. */
  async add(id: string, email: string, passwordHash: string): Promise<Account | undefined> {
    try {
      const row = await this.db.one<AccountRow>(
        `insert into account (id, email, password_hash) values ($1, $2, $3) returning ${ACCOUNT_COLUMNS}`,
        [id, email, passwordHash],
      );
      return row && toAccount(row);
    } catch (error) {
      if (constraintOf(error) === 'account_email') {
        return undefined;
      }
      throw error;
    }
  }

  async find(id: string): Promise<Account | undefined> {
    const row = await this.db.one<AccountRow>(`select ${ACCOUNT_COLUMNS} from account where id = $1`, [id]);
    return row && toAccount(row);
  }

  /** The one place that reads password hashes: to check one, by address or by id. */
  async withPassword(
    column: 'email' | 'id',
    value: string,
  ): Promise<{ readonly account: Account; readonly passwordHash: string } | undefined> {
    const row = await this.db.one<AccountRow & { readonly password_hash: string }>(
      `select ${ACCOUNT_COLUMNS}, password_hash from account where ${column} = $1`,
      [value],
    );
    return row && { account: toAccount(row), passwordHash: row.password_hash };
  }

  /** Repeating it keeps the first moment. */
  async ban(id: string): Promise<Account | undefined> {
    return this.update(`update account set banned_at = coalesce(banned_at, now()) where id = $1`, id);
  }

  async unban(id: string): Promise<Account | undefined> {
    return this.update(`update account set banned_at = null where id = $1`, id);
  }

  /** Newest first: ids begin with their time. `before` is the id of the last one of the page before. */
  async page(limit: number, before?: string): Promise<Account[]> {
    const rows = await this.db.rows<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from account where $2::text is null or id < $2 order by id desc limit $1`,
      [limit, before ?? null],
    );
    return rows.map(toAccount);
  }

  private async update(statement: string, id: string): Promise<Account | undefined> {
    const row = await this.db.one<AccountRow>(`${statement} returning ${ACCOUNT_COLUMNS}`, [id]);
    return row && toAccount(row);
  }
}
