import { Injectable } from '@nestjs/common';

import type { Account } from '#people/accounts/account.entity';
import { NoSuchOrganisation } from '#people/accounts/accounts.errors';
import { Member } from '#people/accounts/member.entity';
import type { Role } from '#people/accounts/roles';
import { NotFound } from '#kernel/app-error';
import { type Micro, microFromText } from '#kernel/money';
import { ifPresent, present } from '#kernel/present';
import { Database, type Queries } from '#platform/database/database';
import { takeOwnerLock } from '#platform/database/owner-lock';
import { tableOf } from '#platform/database/table';
import { OWNED_MAX } from './organisation-limits';
import { TooManyOrganisations } from './organisations.errors';
import {
  type CurrentMember,
  requireBudget,
  requireChange,
  requireLeave,
  requireRemoval,
} from './member-rules';

const MEMBERS = tableOf(Member);

/** An organisation as one of its members sees it. */
export interface MembersOrganisation extends Pick<Account, 'id' | 'createdAt'> {
  readonly name: string;
  readonly role: Role;
  readonly isClosed: boolean;
}

/** A member as colleagues see them. */
export interface NamedMember extends Member {
  readonly email: string;
  readonly isClosed: boolean;
  /**
   * The member's spending in this month of UTC, by session and by the member's keys. It includes the reserves of the
   * keys.
   */
  readonly spent: Micro;
  /** The most that the member may spend in a month; undefined if there is no limit. */
  readonly budget?: Micro;
}

interface NamedRow {
  readonly email: string;
  readonly is_closed: boolean;
  readonly spent: string;
  readonly month_micro: string | null;
}

interface OrganisationRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: Date;
  readonly is_closed: boolean;
}

const OWN = `
  select o.id, coalesce(o.name, o.email) as name, m.role, o.created_at, o.banned_at is not null as is_closed
  from member m join account o on o.id = m.organisation_id where m.account_id = $1 and (o.closed_at is null or o.id = $1)`;

const toOwn = ({ id, name, role, created_at, is_closed }: OrganisationRow): MembersOrganisation => ({
  id,
  name,
  role,
  createdAt: created_at,
  isClosed: is_closed,
});

const NAMED = `
  select m.*, a.email, a.banned_at is not null as is_closed, b.month_micro,
    coalesce((
      select sum(s.spent_micro) from key_spend s where s.key_id = m.organisation_id || '/' || m.account_id
        and s.day >= date_trunc('month', (now() at time zone 'utc')::date)), 0)::text as spent
  from member m join account a on a.id = m.account_id
  left join member_budget b on b.id = m.organisation_id || '/' || m.account_id
  where m.organisation_id = $1`;

/** Memberships. A change of members first takes the lock of the organisation, and then checks whether it is allowed. */
@Injectable()
export class MemberRepository {
  constructor(private readonly db: Database) {}

  async found(id: string, name: string, owner: string): Promise<MembersOrganisation | undefined> {
    await this.db.transaction(async (queries) => {
      await requireOwnershipLeft(queries, owner, 'You own');
      await queries.rows(
        `with made as (insert into account (id, name) values ($1, $2) returning id)
         insert into member (organisation_id, account_id, role) select id, $3, 'owner' from made`,
        [id, name, owner],
        'organisation-found',
      );
    });
    return this.ofPerson(owner, id);
  }

  /** Returns false for a person's own organisation. */
  async rename(id: string, name: string): Promise<boolean> {
    const row = await this.db.one(
      'update account set name = $2 where id = $1 and email is null returning id',
      [id, name],
      'organisation-rename',
    );
    return row !== undefined;
  }

  async ofPerson(person: string, organisation: string): Promise<MembersOrganisation | undefined> {
    const row = await this.db.one<OrganisationRow>(
      `${OWN} and o.id = $2`,
      [person, organisation],
      'organisation-own',
    );
    return row && toOwn(row);
  }

  /** The person's own organisation first, then in order of joining. */
  async allOf(person: string): Promise<MembersOrganisation[]> {
    const rows = await this.db.rows<OrganisationRow>(
      `${OWN} order by o.id <> $1, m.joined_at, o.id`,
      [person],
      'organisation-list',
    );
    return rows.map(toOwn);
  }

  async list(organisation: string): Promise<NamedMember[]> {
    const rows = await this.db.rows<NamedRow>(
      `${NAMED} order by m.joined_at, m.account_id`,
      [organisation],
      'member-list',
    );
    return rows.map((row) => ({
      ...MEMBERS.read(row),
      email: row.email,
      isClosed: row.is_closed,
      spent: microFromText(row.spent),
      budget: ifPresent(present(row.month_micro), microFromText),
    }));
  }

  /** Sets a budget; undefined removes it. A running call finishes, and the new budget applies from the next call on. */
  async setBudget(organisation: string, by: string, id: string, month: Micro | undefined): Promise<void> {
    await this.decide(organisation, [by, id], async (actor, member, queries) => {
      const budgetId = requireBudget(organisation, actor, member);
      if (month === undefined) {
        await queries.rows('delete from member_budget where id = $1', [budgetId], 'member-budget-remove');
        return;
      }
      await queries.rows(
        `insert into member_budget (id, month_micro) values ($1, $2)
         on conflict (id) do update set month_micro = excluded.month_micro`,
        [budgetId, month],
        'member-budget-set',
      );
    });
  }

  async setRole(organisation: string, by: string, id: string, role: Role): Promise<void> {
    await this.decide(organisation, [by, id], async (actor, member, queries) => {
      requireChange(organisation, actor, member, role);
      if (role === 'owner' && member.role !== 'owner') await requireOwnershipLeft(queries, id, 'They own');
      await queries.rows(
        'update member set role = $3 where organisation_id = $1 and account_id = $2',
        [organisation, id, role],
        'member-set-role',
      );
    });
  }

  /** Removes a member. A trigger ends the member's keys, and refuses new ones at the same time. */
  async remove(organisation: string, by: string, id: string): Promise<void> {
    await this.decide(organisation, [by, id], async (actor, member, queries) => {
      if (by === id) requireLeave(organisation, member, await this.otherOwners(queries, organisation, id));
      else requireRemoval(organisation, actor, member);
      await queries.rows(
        'delete from member where organisation_id = $1 and account_id = $2',
        [organisation, id],
        'member-remove',
      );
    });
  }

  /** Decides only one change at a time, so a member who was just removed can't remove others. */
  private decide(
    organisation: string,
    [by, id]: readonly [string, string],
    work: (actor: CurrentMember, member: CurrentMember, queries: Queries) => Promise<void>,
  ): Promise<void> {
    return this.db.transaction(async (queries) => {
      await lockOrganisation(queries, organisation);
      const members = await queries.rows<{ id: string; role: Role }>(
        'select account_id as id, role from member where organisation_id = $1 and account_id in ($2, $3)',
        [organisation, by, id],
        'member-roles',
      );
      const actor = members.find((one) => one.id === by);
      const member = members.find((one) => one.id === id);
      if (actor === undefined) throw new NoSuchOrganisation('org');
      if (member === undefined) throw new NotFound('There is no member with this id.');
      await work(actor, member, queries);
    });
  }

  /** Counts only owners with an open account, because the others can't manage members. */
  private async otherOwners(queries: Queries, organisation: string, id: string): Promise<number> {
    const row = await queries.one<{ owners: number }>(
      `select count(*)::integer as owners from member m join account a on a.id = m.account_id
       where m.organisation_id = $1 and m.account_id <> $2 and m.role = 'owner' and a.banned_at is null`,
      [organisation, id],
      'member-other-owners',
    );
    return row?.owners ?? 0;
  }
}

/**
 * Counts under the lock of the person. Code must take this lock after the lock of the organisation, to prevent
 * deadlocks.
 */
export const requireOwnershipLeft = async (
  queries: Queries,
  person: string,
  whose: string,
): Promise<void> => {
  await takeOwnerLock(queries, 'organisations', person);
  const row = await queries.one<{ owned: number }>(
    `select count(*)::integer as owned from member m join account o on o.id = m.organisation_id
     where m.account_id = $1 and m.role = 'owner' and o.closed_at is null`,
    [person],
    'member-owned',
  );
  if ((row?.owned ?? 0) >= OWNED_MAX) throw new TooManyOrganisations(whose, OWNED_MAX);
};

/**
 * Every change of members takes this lock first. Charges and keys only refer to the organisation's row, so they do not
 * wait.
 */
export const lockOrganisation = async (queries: Queries, organisation: string): Promise<void> => {
  await queries.rows(
    'select from account where id = $1 for no key update',
    [organisation],
    'organisation-lock',
  );
};
