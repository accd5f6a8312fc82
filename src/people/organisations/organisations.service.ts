import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { Person } from '#people/accounts/account.entity';
import type { Acting } from '#people/accounts/acting-person';
import { emailIn } from '#people/accounts/email';
import { AddressProofs } from '#people/accounts/proofs/address-proofs.service';
import { LEADS } from '#people/accounts/roles';
import { isSecretToken, newSecretToken } from '#people/accounts/secret-token';
import { SessionAccounts } from '#people/accounts/session-accounts';
import { InvalidRequest, NotFound } from '#kernel/app-error';
import { newId } from '#kernel/ids';
import { micro, microToJson } from '#kernel/money';
import { ifPresent, present } from '#kernel/present';
import { SigningKeys } from '#platform/config/signing-keys';
import { NoInvite } from './organisations.errors';
import type { Invite } from './invite.entity';
import { InviteMails } from './invite-mails';
import { InviteRepository } from './invite.repository';
import { requireGrant } from './member-rules';
import { MemberRepository, type NamedMember, type MembersOrganisation } from './member.repository';
import type {
  InviteAnswer,
  InviteOfferAnswer,
  InvitesAnswer,
  MemberAnswer,
  MemberBody,
  MembersAnswer,
  NewInviteAnswer,
  NewInviteBody,
  OrganisationAnswer,
  OrganisationsAnswer,
} from './organisations.dto';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** Organisations, their members and their invites. */
@Injectable()
export class OrganisationsService {
  constructor(
    private readonly members: MemberRepository,
    private readonly invites: InviteRepository,
    private readonly mails: InviteMails,
    private readonly keys: SigningKeys,
    private readonly sessions: SessionAccounts,
    private readonly proofs: AddressProofs,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  async found({ person }: Acting, name: string): Promise<OrganisationAnswer> {
    const made = await this.members.found(newId('acc'), name.trim(), person.id);
    if (made === undefined) throw new Error("A new organisation can't be found.");
    return organisationAnswerFor(person, made);
  }

  async list({ person }: Acting): Promise<OrganisationsAnswer> {
    const own = await this.members.allOf(person.id);
    return { organisations: own.map((one) => organisationAnswerFor(person, one)) };
  }

  async rename({ organisation, person }: Acting, name: string): Promise<OrganisationAnswer> {
    const isRenamed = await this.members.rename(organisation.id, name.trim());
    const renamed = isRenamed ? await this.members.ofPerson(person.id, organisation.id) : undefined;
    if (renamed === undefined) {
      throw new InvalidRequest(
        'The organisation of a person has their email address as its name. Make another organisation to name it.',
        { param: 'name' },
      );
    }
    return organisationAnswerFor(person, renamed);
  }

  async listMembers({ organisation, person, role }: Acting): Promise<MembersAnswer> {
    const seesAll = LEADS.includes(role);
    const members = await this.members.list(organisation.id);
    return {
      members: members.map((one) =>
        seesAll || one.accountId === person.id
          ? { ...memberAnswerFor(one), ...spendOf(one) }
          : memberAnswerFor(one),
      ),
    };
  }

  async changeMember(acting: Acting, id: string, { role }: MemberBody): Promise<MemberAnswer> {
    const { organisation, person } = acting;
    await this.members.setRole(organisation.id, person.id, id, role);
    return this.memberIn(acting, id);
  }

  async setBudget(acting: Acting, id: string, budgetMicro: number | null): Promise<MemberAnswer> {
    const { organisation, person } = acting;
    const month = ifPresent(present(budgetMicro), (one) => micro(BigInt(one)));
    await this.members.setBudget(organisation.id, person.id, id, month);
    return this.memberIn(acting, id);
  }

  private async memberIn(acting: Acting, id: string): Promise<MemberAnswer> {
    const { members } = await this.listMembers(acting);
    const member = members.find((one) => one.id === id);
    if (member === undefined) throw new NotFound('There is no member with this id.');
    return member;
  }

  removeMember({ organisation, person }: Acting, id: string): Promise<void> {
    return this.members.remove(organisation.id, person.id, id);
  }

  async invite(
    { organisation, person, role }: Acting,
    body: NewInviteBody,
    request: FastifyRequest,
  ): Promise<NewInviteAnswer> {
    requireGrant(role, body.role);
    const email = ifPresent(body.email, emailIn);
    const emailProven = email !== undefined && this.mails.isOn;
    if (emailProven) await this.mails.count(person.id, email, request);
    const token = newSecretToken();
    const invite = await this.invites.add({
      id: newId('inv'),
      organisationId: organisation.id,
      // The hash needs the server's secret, so nobody can use an invite with a stolen table.
      tokenHash: this.keys.sign('invites', token),
      role: body.role,
      email,
      emailProven,
      invitedBy: person.id,
    });
    const inviteUrl = `${this.settings.http.publicUrl}/account/invites/${token}`;
    if (!emailProven) return { ...inviteAnswerFor(invite), inviteUrl };
    try {
      await this.mails.send(invite, inviteUrl);
    } catch (error) {
      await this.invites.forget(invite.id);
      throw error;
    }
    return inviteAnswerFor(invite);
  }

  async listInvites({ organisation }: Acting): Promise<InvitesAnswer> {
    return { invites: (await this.invites.open(organisation.id)).map(inviteAnswerFor) };
  }

  async withdrawInvite({ organisation }: Acting, id: string): Promise<void> {
    if (!(await this.invites.revoke(organisation.id, id)))
      throw new NotFound('There is no open invite with this id.');
  }

  async offer(token: string): Promise<InviteOfferAnswer> {
    const offer = isSecretToken(token)
      ? await this.invites.offer(this.keys.signatures('invites', token))
      : undefined;
    if (offer === undefined) throw new NoInvite();
    return { ...offer, expiresAt: offer.expiresAt.toISOString() };
  }

  async accept({ person }: Acting, token: string, request: FastifyRequest): Promise<OrganisationAnswer> {
    const joined = isSecretToken(token)
      ? await this.invites.accept(
          this.keys.signatures('invites', token),
          person,
          this.sessions.hashesOf(request),
        )
      : undefined;
    if (joined?.proves === true) this.proofs.report(person);
    const own = joined && (await this.members.ofPerson(person.id, joined.organisationId));
    if (own === undefined) throw new NoInvite();
    return organisationAnswerFor(person, own);
  }
}

const organisationAnswerFor = (
  person: Person,
  { id, name, role, createdAt, isClosed }: MembersOrganisation,
): OrganisationAnswer => ({
  id,
  name,
  role,
  personal: id === person.id,
  closed: isClosed,
  createdAt: createdAt.toISOString(),
});

const memberAnswerFor = ({ accountId, email, role, joinedAt, isClosed }: NamedMember): MemberAnswer => ({
  id: accountId,
  email,
  role,
  joinedAt: joinedAt.toISOString(),
  closed: isClosed,
});

/** A person has no budget in their own account, so their spending is not counted there. */
const spendOf = ({ accountId, organisationId, spent, budget }: NamedMember) =>
  accountId === organisationId
    ? {}
    : { spentMicro: microToJson(spent), budgetMicro: ifPresent(budget, microToJson) ?? null };

const inviteAnswerFor = ({
  id,
  role,
  email,
  emailProven,
  invitedBy,
  createdAt,
  expiresAt,
}: Invite): InviteAnswer => ({
  id,
  role,
  email,
  emailProven,
  invitedBy,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});
