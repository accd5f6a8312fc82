import { Injectable } from '@nestjs/common';

import { Database, type Queries } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { proveAddress } from '#people/accounts/proofs/address-proof.repository';
import type { Role } from '#people/accounts/roles';
import { Invite } from './invite.entity';
import { lockOrganisation, requireOwnershipLeft } from './member.repository';
import { requireRoom } from './member-rules';
import { INVITE_DAYS } from './organisation-limits';
import { AlreadyMember, InviteAddress, InviteExpired } from './organisations.errors';

const INVITES = tableOf(Invite);

/** A usable invite: not used, withdrawn or expired, and made by a member who may still invite to that role. */
const IS_OPEN = `accepted_at is null and revoked_at is null and ended_at is null and expires_at > now() and exists (
  select from member m join account a on a.id = m.account_id
  where m.organisation_id = invite.organisation_id and m.account_id = invite.invited_by and a.banned_at is null
    and (m.role = 'owner' or m.role = 'admin' and invite.role <> 'owner'))`;

export type InviteDraft = Pick<
  Invite,
  'id' | 'organisationId' | 'tokenHash' | 'role' | 'email' | 'emailProven' | 'invitedBy'
>;

/** An invite as its recipient sees it before joining. */
export interface InviteOffer extends Pick<Invite, 'role' | 'email' | 'expiresAt'> {
  readonly organisation: string;
  readonly invitedBy: string;
}

@Injectable()
export class InviteRepository {
  constructor(private readonly db: Database) {}

  async add({
    id,
    organisationId,
    tokenHash,
    role,
    email,
    emailProven,
    invitedBy,
  }: InviteDraft): Promise<Invite> {
    return this.db.transaction(async (queries) => {
      await lockOrganisation(queries, organisationId);
      if (email !== undefined && (await this.isMember(queries, organisationId, email)))
        throw new AlreadyMember(`${email} is a member already. Change their role instead.`);
      requireRoom(await this.size(queries, organisationId));
      const row = await queries.one(
        `insert into invite (id, organisation_id, token_hash, role, email, invited_by, email_proven, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, now() + interval '${INVITE_DAYS} days') returning ${INVITES.columns}`,
        [id, organisationId, tokenHash, role, email, invitedBy, emailProven],
        'invite-add',
      );
      return INVITES.read(row!);
    });
  }

  /** Removes an invite if nobody has received its link. */
  async forget(id: string): Promise<void> {
    await this.db.rows('delete from invite where id = $1 and accepted_at is null', [id], 'invite-forget');
  }

  /** The usable invites, newest first. */
  async open(organisationId: string): Promise<Invite[]> {
    const rows = await this.db.rows(
      `select ${INVITES.columns} from invite where organisation_id = $1 and ${IS_OPEN}
       order by created_at desc, id desc`,
      [organisationId],
      'invite-open',
    );
    return rows.map((row) => INVITES.read(row));
  }

  /** The content of a usable invite. Undefined if no invite has this token. */
  async offer(tokenHashes: readonly Buffer[]): Promise<InviteOffer | undefined> {
    const row = await this.db.one<{ is_open: boolean; organisation_name: string; inviter: string }>(
      `select ${INVITES.columns}, ${IS_OPEN} as is_open,
         (select coalesce(o.name, o.email) from account o where o.id = invite.organisation_id) as organisation_name,
         (select a.email from account a where a.id = invite.invited_by) as inviter
       from invite where token_hash = any($1)`,
      [tokenHashes],
      'invite-offer',
    );
    if (row === undefined) return undefined;
    const invite = INVITES.read(row);
    if (!row.is_open) throw new InviteExpired(whyOver(invite));
    const { role, email, expiresAt } = invite;
    return { organisation: row.organisation_name, invitedBy: row.inviter, role, email, expiresAt };
  }

  /** Returns false if there is no usable invite with this id. */
  async revoke(organisationId: string, id: string): Promise<boolean> {
    const row = await this.db.one(
      `update invite set revoked_at = now() where organisation_id = $1 and id = $2 and ${IS_OPEN} returning id`,
      [organisationId, id],
      'invite-revoke',
    );
    return row !== undefined;
  }

  /**
   * Admits a person, once for each invite. Returns undefined if no invite has this token. It takes the same lock as
   * changes of members. So nobody can join with an invite of a member who is removed at the same time. A link that was
   * mailed only to the address of the person proves this address, and `session` are the hashes of the session that stays.
   */
  async accept(
    tokenHashes: readonly Buffer[],
    person: { readonly id: string; readonly email: string },
    session: readonly Buffer[],
  ): Promise<{ readonly organisationId: string; readonly role: Role; readonly proves: boolean } | undefined> {
    return this.db.transaction(async (queries) => {
      const meant = await queries.one<{ id: string; organisation_id: string }>(
        'select id, organisation_id from invite where token_hash = any($1)',
        [tokenHashes],
        'invite-meant',
      );
      if (meant === undefined) return undefined;
      const { id, organisation_id: organisationId } = meant;
      await lockOrganisation(queries, organisationId);
      const row = await queries.one<{ is_open: boolean }>(
        `select ${INVITES.columns}, ${IS_OPEN} as is_open from invite where id = $1 for update`,
        [id],
        'invite-take',
      );
      const invite = INVITES.read(row!);
      if (row?.is_open !== true) throw new InviteExpired(whyOver(invite));
      if (invite.email !== undefined && invite.email !== person.email) throw new InviteAddress();
      requireRoom(await this.members(queries, organisationId));
      if (invite.role === 'owner') await requireOwnershipLeft(queries, person.id, 'You own');
      const joined = await queries.one(
        `insert into member (organisation_id, account_id, role) values ($1, $2, $3)
         on conflict do nothing returning account_id`,
        [organisationId, person.id, invite.role],
        'invite-join',
      );
      if (joined === undefined) throw new AlreadyMember('You are a member already. The invite stays valid.');
      await queries.rows(
        'update invite set accepted_by = $2, accepted_at = now() where id = $1',
        [id, person.id],
        'invite-accepted',
      );
      const proves = invite.emailProven && (await proveAddress(queries, person, session));
      return { organisationId, role: invite.role, proves };
    });
  }

  private async isMember(queries: Queries, organisationId: string, email: string): Promise<boolean> {
    const row = await queries.one(
      `select from member m join account a on a.id = m.account_id
       where m.organisation_id = $1 and a.email = $2`,
      [organisationId, email],
      'invite-is-member',
    );
    return row !== undefined;
  }

  private async members(queries: Queries, organisationId: string): Promise<number> {
    const row = await queries.one<{ members: number }>(
      'select count(*)::integer as members from member where organisation_id = $1',
      [organisationId],
      'invite-members',
    );
    return row?.members ?? 0;
  }

  private async size(queries: Queries, organisationId: string): Promise<number> {
    const row = await queries.one<{ size: number }>(
      `select ((select count(*) from member where organisation_id = $1)
         + (select count(*) from invite where organisation_id = $1 and ${IS_OPEN}))::integer as size`,
      [organisationId],
      'invite-size',
    );
    return row?.size ?? 0;
  }
}

const whyOver = ({ acceptedAt, revokedAt, expiresAt }: Invite): string => {
  if (acceptedAt !== undefined) return 'This invite was used, and each is for one person only.';
  if (revokedAt !== undefined) return 'This invite was withdrawn.';
  return expiresAt <= new Date()
    ? `This invite is more than ${INVITE_DAYS} days old.`
    : 'The sender of this invite may no longer invite.';
};
