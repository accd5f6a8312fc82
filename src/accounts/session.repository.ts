import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';

import { Database } from '../platform/database/database';
import { tableOf } from '../platform/database/table';
import { Account } from './account.entity';
import { SESSION_SECONDS } from './session-cookie';
import { Session } from './session.entity';

const ACCOUNTS = tableOf(Account);

/** Ended sessions are cleared away as new ones are made, so that no sweep is needed for them. */
const CLEARED_AT_ONCE = 100;

const INSERT = `insert into session (token_hash, account_id, expires_at)
  values ($1, $2, now() + make_interval(secs => ${SESSION_SECONDS}))`;

/** Sessions, by the hash of their token. Only the browser holds the token itself. */
@Injectable()
export class SessionRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
  ) {}

  /**
   * False when the password was changed, or the account closed, since it was checked: `for share` makes a change wait
   * for us or us for it, so that a sign-in with the old password can't outlive the change.
   */
  async open(
    tokenHash: Buffer,
    accountId: string,
    passwordHash: string,
    replaces: readonly Buffer[],
  ): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      const stands = await queries.one(
        `select from account where id = $1 and password_hash = $2 and banned_at is null for share`,
        [accountId, passwordHash],
        'session-account-stands',
      );
      if (stands === undefined) {
        return false;
      }
      await queries.rows(
        `delete from session where token_hash = any($1) or token_hash in (
           select token_hash from session where expires_at <= now() order by expires_at limit $2
           for update skip locked)`,
        [replaces, CLEARED_AT_ONCE],
        'session-clear',
      );
      await queries.rows(INSERT, [tokenHash, accountId], 'session-open');
      return true;
    });
  }

  /** Changes the password, ends every session and opens a new one. False when another change came first. */
  async changePassword(
    accountId: string,
    passwords: { readonly from: string; readonly to: string },
    tokenHash: Buffer,
  ): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      const changed = await queries.one(
        `update account set password_hash = $3 where id = $1 and password_hash = $2 returning id`,
        [accountId, passwords.from, passwords.to],
        'account-change-password',
      );
      if (changed === undefined) {
        return false;
      }
      await queries.rows(`delete from session where account_id = $1`, [accountId], 'session-end-all');
      await queries.rows(INSERT, [tokenHash, accountId], 'session-open');
      return true;
    });
  }

  /** By any of the hashes that its token may have. */
  async accountOf(tokenHashes: readonly Buffer[]): Promise<Account | undefined> {
    if (tokenHashes.length === 0) return undefined;
    const row = await this.db.one(
      `select ${ACCOUNTS.columns} from account where id = (
         select account_id from session where token_hash = any($1) and expires_at > now() limit 1)`,
      [tokenHashes],
      'session-account',
    );
    return row && ACCOUNTS.read(row);
  }

  /** By the hex of their hashes. */
  async openAmong(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    if (hashes.length === 0) return new Set();
    const rows = await this.db.rows<{ name: string }>(
      `select encode(s.token_hash, 'hex') as name from session s join account a on a.id = s.account_id
       where s.token_hash = any(array(select decode(hash, 'hex') from unnest($1::text[]) as hash))
         and s.expires_at > now() and a.banned_at is null`,
      [hashes],
      'session-open-among',
    );
    return new Set(rows.map(({ name }) => name));
  }

  async end(tokenHashes: readonly Buffer[]): Promise<void> {
    await this.sessions.delete({ tokenHash: In([...tokenHashes]) });
  }
}
