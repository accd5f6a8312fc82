import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Person } from '#people/accounts/account.entity';
import type { Acting } from '#people/accounts/acting-person';
import { AccountClosing, type SoleOwned } from '#people/accounts/account-closing.repository';
import { BalanceDiffers, InvalidLogin } from '#people/accounts/accounts.errors';
import { OwnerProof } from '#people/accounts/owner-proof';
import { SecurityMails } from '#people/accounts/security-mails';
import { SessionAccounts } from '#people/accounts/session-accounts';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { microToJson } from '#kernel/money';
import { EndedKeyNotifier } from '#people/keys/ended-key-notifier';
import { LastOwner, PersonalOrganisation } from '#people/organisations/organisations.errors';
import { AutoTopUpsService } from './auto-top-ups.service';
import type { ClosingAnswer, CloseBody, ClosingOrganisationAnswer } from './account-closing.dto';

/**
 * Closes a person's account, or an organisation. The money stays on the books, and its owner confirms the exact amount.
 */
@Injectable()
export class AccountClosingService {
  constructor(
    private readonly closing: AccountClosing,
    private readonly funds: AccountFunds,
    private readonly proof: OwnerProof,
    private readonly sessions: SessionAccounts,
    private readonly mails: SecurityMails,
    private readonly endedKeys: EndedKeyNotifier,
    private readonly autoTopUps: AutoTopUpsService,
  ) {}

  async preview(person: Person): Promise<ClosingAnswer> {
    const owned = await this.closing.soleOwnedBy(person.id);
    const ending = owned.filter((one) => endsWith(person, one));
    const balances = await Promise.all(ending.map(({ id }) => this.leftIn(id)));
    return {
      leaveMicro: balances.reduce((sum, one) => sum + one, 0),
      organisations: ending.map(({ id, name, others }, at) => ({
        id,
        name,
        personal: id === person.id,
        otherMembers: others,
        balanceMicro: balances[at] ?? 0,
      })),
      needOwner: owned.filter((one) => !endsWith(person, one)).map(({ id, name }) => ({ id, name })),
    };
  }

  async close(
    person: Person,
    { leaveMicro, ...proof }: CloseBody,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<number> {
    const before = await this.preview(person);
    const [needsOwner] = before.needOwner;
    if (needsOwner !== undefined) {
      throw new LastOwner(
        `You are the last owner of ${needsOwner.name}, which has other members: make one of them an owner first.`,
      );
    }
    requireSame(before.leaveMicro, leaveMicro);
    const passwordHash = await this.proof.require(person, proof, request);
    const organisations = before.organisations.map(({ id }) => id);
    if (!(await this.closing.close(person.id, passwordHash, organisations))) throw new InvalidLogin(CHANGED);
    await this.removeCards(organisations);
    await this.sessions.end(request, reply);
    this.mails.send(
      person,
      'Your account is closed. Its keys are deleted, and you are signed out everywhere.',
    );
    return before.leaveMicro;
  }

  async previewOrganisation({ organisation, person }: Acting): Promise<ClosingOrganisationAnswer> {
    if (organisation.id === person.id) throw new PersonalOrganisation(true);
    const [leaveMicro, { others, keys }] = await Promise.all([
      this.leftIn(organisation.id),
      this.closing.countIn(organisation.id, person.id),
    ]);
    return { id: organisation.id, name: organisation.name, leaveMicro, otherMembers: others, keys };
  }

  async closeOrganisation(
    acting: Acting,
    { leaveMicro, ...proof }: CloseBody,
    request: FastifyRequest,
  ): Promise<number> {
    const { organisation, person } = acting;
    const before = await this.previewOrganisation(acting);
    requireSame(before.leaveMicro, leaveMicro);
    const passwordHash = await this.proof.require(person, proof, request);
    if (!(await this.closing.closeOrganisation(organisation.id, person.id, passwordHash)))
      throw new InvalidLogin(CHANGED);
    await Promise.all([this.endedKeys.notify(), this.removeCards([organisation.id])]);
    this.mails.send(person, `You deleted the organisation ${organisation.name}. Its keys are deleted.`);
    return before.leaveMicro;
  }

  /** An operator may open the account again, and its saved card must not be charged then. */
  private async removeCards(organisations: readonly string[]): Promise<void> {
    await Promise.all(organisations.map((id) => this.autoTopUps.removeCard(id)));
  }

  /** The balance and the reserves of keys and running calls. */
  private async leftIn(organisation: string): Promise<number> {
    const account = creditsAccount(organisation);
    const [balance, reserved] = await Promise.all([
      this.funds.balance(account),
      this.funds.reserved(account),
    ]);
    return microToJson(balance) + microToJson(reserved);
  }
}

const CHANGED = 'It was changed at this very moment. Look at it, then send this again.';

const requireSame = (left: number, confirmed: number): void => {
  if (left !== confirmed) throw new BalanceDiffers(String(left));
};

/** The person's own account always ends; an organisation ends only if it has no other member. */
const endsWith = (person: Person, { id, others }: SoleOwned): boolean => id === person.id || others === 0;
