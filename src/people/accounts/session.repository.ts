import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';

import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { takeOwnerLock } from '#platform/database/owner-lock';
import { tableOf } from '#platform/database/table';
import { Account, type Person } from './account.entity';
import type { Acting } from './acting-person';
import { SESSIONS_MAX, SESSION_SECONDS } from './session-limits';
import { Session } from './session.entity';

const ACCOUNTS = tableOf(Account);

/** Each new session deletes expired ones, so no sweep is needed. */
const CLEARED_AT_ONCE = 100;

const INSERT = `insert into session (token_hash, account_id, device, expires_at)
  values ($1, $2, $3, now() + make_interval(secs => ${SESSION_SECONDS}))`;

/** The proof of a sign-in. */
export type Login = { readonly accountId: string } & (
  | { readonly passwordHash: string; readonly codeWasRight: boolean }
  | { readonly passkey: string }
);

export interface NewSession {
  readonly tokenHash: Buffer;
  readonly device: string | undefined;
}

/** A session as its person sees it. */
export interface ListedSession {
  readonly id: string;
  readonly device?: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly current: boolean;
}

/** The first bytes of the hash. They identify a session, but nobody can open it with them. */
const ID = `encode(substring(token_hash for 12), 'hex')`;

/** Sessions, by the hash of their token. Only the browser has the token itself. */
@Injectable()
export class SessionRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
  ) {}

  /**
   * Returns false if the password, the second factor, the passkey or the account has changed since the check. `for
   * share` serialises this with such a change, so no session with the old proof stays open after it.
   */
  async open({ tokenHash, device }: NewSession, login: Login, replaces: readonly Buffer[]): Promise<boolean> {
    const { accountId } = login;
    return this.db.transaction(async (queries) => {
      const found = await queries.one(
        `select from account where id = $1 and ($2::text is null or password_hash = $2) and banned_at is null for share`,
        [accountId, 'passwordHash' in login ? login.passwordHash : null],
        'session-account-exists',
      );
      if (found === undefined) return false;
      // The first statement may have waited for its lock. This second statement sees the changes that were committed
      // meanwhile.
      const proven =
        'passkey' in login
          ? await queries.one(
              'select from passkey where id = $1 and account_id = $2',
              [login.passkey, accountId],
              'session-passkey',
            )
          : await queries.one(
              `select where $2::boolean or not exists (
                 select from second_factor where account_id = $1 and confirmed_at is not null)`,
              [accountId, login.codeWasRight],
              'session-second-factor',
            );
      if (proven === undefined) return false;
      await queries.rows(
        `delete from session where token_hash = any($1) or token_hash in (
           select token_hash from session where expires_at <= now() order by expires_at limit $2
           for update skip locked)`,
        [replaces, CLEARED_AT_ONCE],
        'session-clear',
      );
      // Without the lock, sign-ins at the same time would not see each other's sessions.
      await takeOwnerLock(queries, 'sessions', accountId);
      await queries.rows(
        `delete from session where token_hash in (
           select token_hash from session where account_id = $1 order by created_at desc, token_hash
           offset ${SESSIONS_MAX} - 1)`,
        [accountId],
        'session-oldest',
      );
      await queries.rows(INSERT, [tokenHash, accountId, device], 'session-open');
      return true;
    });
  }

  /** Changes the password, ends every session and opens a new one. Returns false if another change came first. */
  async changePassword(
    accountId: string,
    passwords: { readonly from: string; readonly to: string },
    { tokenHash, device }: NewSession,
  ): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      const changed = await queries.one(
        `update account set password_hash = $3 where id = $1 and password_hash = $2 returning id`,
        [accountId, passwords.from, passwords.to],
        'account-change-password',
      );
      if (changed === undefined) return false;
      await queries.rows(`delete from session where account_id = $1`, [accountId], 'session-end-all');
      await queries.rows(
        'delete from password_reset where account_id = $1',
        [accountId],
        'session-end-resets',
      );
      await queries.rows(INSERT, [tokenHash, accountId, device], 'session-open');
      return true;
    });
  }

  /** Finds the person of a session by the hashes that its token may have. */
  async personOf(tokenHashes: readonly Buffer[]): Promise<Person | undefined> {
    if (tokenHashes.length === 0) return undefined;
    const row = await this.db.one(
      `select ${ACCOUNTS.columns} from account where id = (
         select account_id from session where token_hash = any($1) and expires_at > now() limit 1)`,
      [tokenHashes],
      'session-account',
    );
    return row && (ACCOUNTS.read(row) as Person);
  }

  /**
   * Also returns the role in an organisation, by default the person's own. The role is absent if the person is no
   * member.
   */
  async actingOf(
    tokenHashes: readonly Buffer[],
    organisation?: string,
  ): Promise<Pick<Acting, 'person'> | Acting | undefined> {
    if (tokenHashes.length === 0) return undefined;
    const row = await this.db.one<{
      session: string;
      role: Acting['role'] | null;
      organisation: Acting['organisation'] | null;
    }>(
      `select p.*, encode(s.token_hash, 'hex') as session, m.role, case when o.id is not null then jsonb_build_object(
         'id', o.id, 'name', coalesce(o.name, o.email), 'isClosed', o.banned_at is not null) end as organisation
       from session s join account p on p.id = s.account_id
       left join member m on m.account_id = p.id and m.organisation_id = coalesce($2, p.id)
       left join account o on o.id = m.organisation_id
       where s.token_hash = any($1) and s.expires_at > now() limit 1`,
      [tokenHashes, organisation],
      'session-acting',
    );
    if (row === undefined) return undefined;
    const { passwordHash: _, ...person } = ACCOUNTS.read(row) as Person;
    return row.role === null || row.organisation === null
      ? { person }
      : {
          person,
          role: row.role,
          organisation: row.organisation,
          session: `${row.session}/${row.organisation.id}`,
        };
  }

  /** Of these sessions (`Acting.session`), finds those that are still open. */
  async openAmong(names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const rows = await this.db.rows<{ name: string }>(
      `select wanted.name from unnest($1::text[]) as wanted (name)
       join session s on s.token_hash = decode(split_part(wanted.name, '/', 1), 'hex')
       join account p on p.id = s.account_id
       join member m on m.account_id = p.id and m.organisation_id = split_part(wanted.name, '/', 2)
       join account o on o.id = m.organisation_id
       where s.expires_at > now() and p.banned_at is null and o.banned_at is null`,
      [names],
      'session-open-among',
    );
    return new Set(rows.map(({ name }) => name));
  }

  /** The open sessions of a person, newest first. */
  async listOf(accountId: string, current: readonly Buffer[]): Promise<ListedSession[]> {
    const rows = await this.db.rows<{
      id: string;
      device: string | null;
      created_at: Date;
      expires_at: Date;
      current: boolean;
    }>(
      `select ${ID} as id, device, created_at, expires_at, token_hash = any($2) as current from session
       where account_id = $1 and expires_at > now() order by created_at desc limit 100`,
      [accountId, current],
      'session-list',
    );
    return rows.map(({ id, device, created_at: createdAt, expires_at: expiresAt, current: isCurrent }) => ({
      id,
      device: present(device),
      createdAt,
      expiresAt,
      current: isCurrent,
    }));
  }

  /** Ends one session of a person. Returns false if the person has no session with this id. */
  async endOne(accountId: string, id: string): Promise<boolean> {
    const rows = await this.db.rows(
      `delete from session where account_id = $1 and ${ID} = $2 returning 1`,
      [accountId, id],
      'session-end-one',
    );
    return rows.length > 0;
  }

  async end(tokenHashes: readonly Buffer[]): Promise<void> {
    await this.sessions.delete({ tokenHash: In([...tokenHashes]) });
  }
}
