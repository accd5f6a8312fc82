import { Injectable } from '@nestjs/common';

import { Database, type Queries } from '../platform/database/database';
import type { Account } from './account';
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from './account.repository';
import { SESSION_SECONDS } from './session-cookie';

/** Ended sessions are cleared away as new ones are made, so that no sweep is needed for them. */
const CLEARED_AT_ONCE = 100;

const INSERT = `insert into session (token_hash, account_id, expires_at)
  values ($1, $2, now() + make_interval(secs => ${SESSION_SECONDS}))`;

/** Sessions, by the hash of their token. Only the browser holds the token itself. */
@Injectable()
export class SessionRepository {
  constructor(private readonly db: Database) {}

  /**
   * False when the password was changed, or the account closed, since it was checked: `for share` makes a change wait
   * for us or us for it, so that a sign-in with the old password can't outlive the change.
   */
  async open(
    tokenHash: Buffer,
    accountId: string,
    passwordHash: string,
    replaces?: Buffer,
  ): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      const stands = await queries.one(
        `select from account where id = $1 and password_hash = $2 and banned_at is null for share`,
        [accountId, passwordHash],
      );
      if (stands === undefined) {
        return false;
      }
      await queries.rows(
        `delete from session where token_hash = $1 or token_hash in (
           select token_hash from session where expires_at <= now() order by expires_at limit $2
           for update skip locked)`,
        [replaces ?? null, CLEARED_AT_ONCE],
      );
      await queries.rows(INSERT, [tokenHash, accountId]);
      return true;
    });
  }

  /** Changes the password, ends every session and opens a new one. False when another change came first. */
  async changePassword(
    accountId: string,
    passwords: { readonly from: string; readonly to: string },
    tokenHash: Buffer,
  ): Promise<boolean> {
    return this.db.transaction(async (queries: Queries) => {
      const changed = await queries.one(
        `update account set password_hash = $3 where id = $1 and password_hash = $2 returning id`,
        [accountId, passwords.from, passwords.to],
      );
      if (changed === undefined) {
        return false;
      }
      await queries.rows(`delete from session where account_id = $1`, [accountId]);
      await queries.rows(INSERT, [tokenHash, accountId]);
      return true;
    });
  }

  async accountOf(tokenHash: Buffer): Promise<Account | undefined> {
    const row = await this.db.one<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from account where id = (
         select account_id from session where token_hash = $1 and expires_at > now())`,
      [tokenHash],
      'session-account',
    );
    return row && toAccount(row);
  }

  async end(tokenHash: Buffer): Promise<void> {
    await this.db.rows(`delete from session where token_hash = $1`, [tokenHash]);
  }
}
