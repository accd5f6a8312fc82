import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { newId } from '#kernel/ids';
import { uncountCall } from '#platform/http/limits/address-limits';
import { callerOf } from '#platform/http/limits/caller-address';
import { RateLimits } from '#platform/http/limits/rate-limits';
import type { Account, Person } from './account.entity';
import { accountLinks } from './account-links';
import { AccountRepository } from './account.repository';
import { emailIn } from './email';
import { AccountBanned, CommonPassword, EmailTaken, InvalidLogin } from './accounts.errors';
import type { PasswordBody, RegisterBody, SignInBody } from './accounts.dto';
import { isCommonPassword } from './password-rules';
import { OwnerProof } from './owner-proof';
import { Passwords } from './passwords';
import { SecondFactorCheck } from './second-factor/second-factor-check';
import { AddressProofs } from './proofs/address-proofs.service';
import { SecurityMails } from './security-mails';
import { SessionAccounts } from './session-accounts';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** Accounts from sign-up to ban. It stores only the hashes of passwords. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly sessions: SessionAccounts,
    private readonly passwords: Passwords,
    private readonly secondFactor: SecondFactorCheck,
    private readonly proof: OwnerProof,
    private readonly proofs: AddressProofs,
    private readonly mails: SecurityMails,
    private readonly limits: RateLimits,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  async register(body: RegisterBody, request: FastifyRequest, reply: FastifyReply): Promise<Person> {
    const email = emailIn(body.email);
    if (isCommonPassword(body.password, email)) throw new CommonPassword('password');
    const passwordHash = await this.passwords.hash(body.password);
    const account = await this.accounts.add(newId('acc'), email, passwordHash, this.proofs.isNeeded);
    if (account === undefined) throw new EmailTaken();
    await this.sessions.open(request, reply, { accountId: account.id, passwordHash, codeWasRight: false });
    if (account.proofDue) await this.proofs.sendFirst(account, request);
    return account;
  }

  async signIn(body: SignInBody, request: FastifyRequest, reply: FastifyReply): Promise<Person> {
    const email = body.email.toLowerCase();
    // The limit counts sign-ins for each pair of email and caller. If it counted by email alone, ten guesses of a
    // stranger would lock the owner out.
    const counted = await this.limits.take('signIn', `email:${email}|${callerOf(request)}`, true);
    const known = await this.accounts.withPassword('email', email);
    const right = await this.passwords.matches(known?.passwordHash, body.password);
    if (known === undefined || !right) throw new InvalidLogin();
    const { account, passwordHash } = known;
    if (account.bannedAt !== undefined) throw new AccountBanned(accountLinks(this.settings.http.publicUrl));
    const codeWasRight = await this.secondFactor.require(account, body.code);
    const login = { accountId: account.id, passwordHash, codeWasRight };
    if (!(await this.sessions.open(request, reply, login))) throw new InvalidLogin();
    counted.uncount();
    uncountCall(request, reply);
    return account;
  }

  async changePassword(
    person: Person,
    body: PasswordBody,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (isCommonPassword(body.next, person.email)) throw new CommonPassword('next');
    const from = await this.proof.require(
      person,
      { password: body.current, code: body.code },
      request,
      'current',
    );
    const to = await this.passwords.hash(body.next);
    if (!(await this.sessions.changePassword(request, reply, person.id, { from, to })))
      throw new InvalidLogin('Your password was changed at this very moment; sign in again.');
    this.mails.send(person, 'Your password was changed. You are signed out on all other devices.');
  }

  find(id: string): Promise<Account | undefined> {
    return this.accounts.find(id);
  }

  page(limit: number, before?: string, search?: string): Promise<Account[]> {
    return this.accounts.page(limit, before, search);
  }

  /**
   * Closes the account. In all processes, its keys and sessions end within a second. Undefined if there is no such
   * account.
   */
  ban(id: string): Promise<Account | undefined> {
    return this.accounts.ban(id);
  }

  unban(id: string): Promise<Account | undefined> {
    return this.accounts.unban(id);
  }
}
