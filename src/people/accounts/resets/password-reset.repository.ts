import { Injectable } from '@nestjs/common';

import { endEarlierThings } from '../proofs/address-proof.repository';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { Account, type Person } from '../account.entity';

const ACCOUNTS = tableOf(Account);

/**
 * The account is open, or its owner closed it without a proof of the address. The owner of the address opens it again by
 * a link, so a stranger can't block the address. An operator's ban stays.
 */
const MAY_RESET = '(banned_at is null or (closed_at is not null and proven_at is null))';

/** Each new link deletes expired ones, so no sweep is needed. */
const CLEARED_AT_ONCE = 100;

@Injectable()
export class PasswordResetRepository {
  constructor(private readonly db: Database) {}

  /** Returns the time at which the link expires, or undefined if the account is closed or is an organisation. */
  async add(
    accountId: string,
    tokenHash: Buffer,
    { hours, removesSecondFactor }: { readonly hours: number; readonly removesSecondFactor: boolean },
  ): Promise<Date | undefined> {
    const row = await this.db.one<{ expires_at: Date }>(
      `with cleared as (
         delete from password_reset where token_hash in (
           select token_hash from password_reset where expires_at <= now() order by expires_at limit $5
           for update skip locked)
       )
       insert into password_reset (token_hash, account_id, removes_second_factor, expires_at)
       select $2, id, $3, now() + make_interval(hours => $4) from account
       where id = $1 and email is not null and ${MAY_RESET} returning expires_at`,
      [accountId, tokenHash, removesSecondFactor, hours, CLEARED_AT_ONCE],
      'password-reset-add',
    );
    return row?.expires_at;
  }

  /** The person of a link. The link stays usable. */
  async personOf(tokenHashes: readonly Buffer[]): Promise<Person | undefined> {
    const row = await this.db.one(
      `select ${ACCOUNTS.columns} from account where ${MAY_RESET} and id = (
         select account_id from password_reset where token_hash = any($1) and expires_at > now())`,
      [tokenHashes],
      'password-reset-person',
    );
    return row && (ACCOUNTS.read(row) as Person);
  }

  /**
   * Sets the password, and ends every session and all links. Returns the number of passkeys, or undefined if another
   * call used the link first.
   */
  async use(tokenHashes: readonly Buffer[], passwordHash: string): Promise<number | undefined> {
    return this.db.transaction(async (queries) => {
      const used = await queries.one<{ account_id: string; removes_second_factor: boolean }>(
        `delete from password_reset where token_hash = any($1) and expires_at > now()
         returning account_id, removes_second_factor`,
        [tokenHashes],
        'password-reset-use',
      );
      if (used === undefined) return undefined;
      const { account_id: id, removes_second_factor: removes } = used;
      const before = await queries.one<{ proof_due: boolean; closed_at: Date | null }>(
        `select proof_due, closed_at from account where id = $1 and ${MAY_RESET} for no key update`,
        [id],
        'password-reset-account',
      );
      if (before === undefined) return undefined;
      // The link is the proof of the address. A stranger may have made everything that is older.
      if (before.proof_due || before.closed_at !== null) await endEarlierThings(queries, id);
      await queries.rows(
        `update account set password_hash = $2, proof_due = false, proven_at = coalesce(proven_at, now()),
           banned_at = null, closed_at = null where id = $1`,
        [id, passwordHash],
        'password-reset-set',
      );
      await queries.rows('delete from session where account_id = $1', [id], 'password-reset-sessions');
      await queries.rows('delete from password_reset where account_id = $1', [id], 'password-reset-others');
      if (removes)
        await queries.rows('delete from second_factor where account_id = $1', [id], 'password-reset-factor');
      const row = await queries.one<{ passkeys: number }>(
        'select count(*)::integer as passkeys from passkey where account_id = $1',
        [id],
        'password-reset-passkeys',
      );
      return row?.passkeys ?? 0;
    });
  }
}
