import { Injectable } from '@nestjs/common';

import { Database, type Queries } from '#platform/database/database';

/** An organisation whose only open owner is the person who closes an account. */
export interface SoleOwned {
  readonly id: string;
  readonly name: string;
  /** Open members besides that person. */
  readonly others: number;
}

/** The result includes the person's own account, which is an organisation as well. */
const SOLE_OWNED = `
  select o.id, coalesce(o.name, o.email) as name,
    (select count(*)::integer from member x join account a on a.id = x.account_id
      where x.organisation_id = o.id and x.account_id <> $1 and a.banned_at is null) as others
  from member m join account o on o.id = m.organisation_id
  where m.account_id = $1 and m.role = 'owner' and o.banned_at is null and (o.id = $1 or not exists (
    select from member x join account a on a.id = x.account_id
    where x.organisation_id = o.id and x.account_id <> $1 and x.role = 'owner' and a.banned_at is null))
  order by o.id <> $1, o.id`;

/** Closes accounts for their owners. Triggers of the database end the keys, webhook endpoints and invites. */
@Injectable()
export class AccountClosing {
  constructor(private readonly db: Database) {}

  soleOwnedBy(person: string): Promise<SoleOwned[]> {
    return this.soleOwned(this.db, person);
  }

  /**
   * Closes the account with the organisations that only this person owns, and ends its sessions and links. Returns
   * false if the password or the organisations have changed since the caller read them.
   */
  async close(person: string, passwordHash: string, organisations: readonly string[]): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      // Changes of members take the same locks. Without them, two owners could leave at the same time, each because the
      // other one stays.
      await queries.rows(
        `select from account where id in (
           select organisation_id from member where account_id = $1 and role = 'owner') order by id for no key update`,
        [person],
        'account-close-lock',
      );
      const owned = await this.soleOwned(queries, person);
      const isUnchanged =
        owned.length === organisations.length && owned.every(({ id }) => organisations.includes(id));
      if (!isUnchanged) return false;
      const closed = await queries.one(
        `update account set banned_at = now(), closed_at = now()
         where id = $1 and password_hash = $2 and banned_at is null returning id`,
        [person, passwordHash],
        'account-close',
      );
      if (closed === undefined) return false;
      await queries.rows(
        'update account set banned_at = now(), closed_at = now() where id = any($1) and banned_at is null',
        [organisations],
        'account-close-organisations',
      );
      await queries.rows('delete from session where account_id = $1', [person], 'account-close-sessions');
      await queries.rows(
        'delete from password_reset where account_id = $1',
        [person],
        'account-close-resets',
      );
      return true;
    });
  }

  /**
   * Closes an organisation of several people. The deletion of its keys returns their reserves. All other members leave.
   * The owner who closes it stays a member, so that an operator can open it again. Returns false if the password or the
   * role has changed since the caller read them.
   */
  async closeOrganisation(organisation: string, owner: string, passwordHash: string): Promise<boolean> {
    return this.db.transaction(async (queries) => {
      await queries.rows(
        'select from account where id = $1 for no key update',
        [organisation],
        'organisation-close-lock',
      );
      const closed = await queries.one(
        `update account set banned_at = now(), closed_at = now()
         where id = $1 and email is null and banned_at is null and exists (
           select from member m join account a on a.id = m.account_id
           where m.organisation_id = $1 and m.account_id = $2 and m.role = 'owner' and a.password_hash = $3)
         returning id`,
        [organisation, owner, passwordHash],
        'organisation-close',
      );
      if (closed === undefined) return false;
      await queries.rows(
        'update api_key set deleted_at = now() where account_id = $1 and deleted_at is null',
        [organisation],
        'organisation-close-keys',
      );
      await queries.rows(
        'update invite set revoked_at = now() where organisation_id = $1 and accepted_at is null and revoked_at is null',
        [organisation],
        'organisation-close-invites',
      );
      await queries.rows(
        'delete from member where organisation_id = $1 and account_id <> $2',
        [organisation, owner],
        'organisation-close-members',
      );
      return true;
    });
  }

  /** Counts the members besides this person, and the keys that nobody has deleted. */
  async countIn(
    organisation: string,
    person: string,
  ): Promise<{ readonly others: number; readonly keys: number }> {
    const row = await this.db.one<{ others: number; keys: number }>(
      `select (select count(*)::integer from member where organisation_id = $1 and account_id <> $2) as others,
         (select count(*)::integer from api_key where account_id = $1 and deleted_at is null) as keys`,
      [organisation, person],
      'organisation-close-counts',
    );
    return row ?? { others: 0, keys: 0 };
  }

  private soleOwned(queries: Queries, person: string): Promise<SoleOwned[]> {
    return queries.rows<{ id: string; name: string; others: number }>(
      SOLE_OWNED,
      [person],
      'account-sole-owned',
    );
  }
}
