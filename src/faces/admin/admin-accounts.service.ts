import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { Account } from '#people/accounts/account.entity';
import { AccountsService } from '#people/accounts/accounts.service';
import { AddressProofs } from '#people/accounts/proofs/address-proofs.service';
import { PasswordResets } from '#people/accounts/resets/password-resets.service';
import { callerKeyOf } from '#money/billing/calls/earlier-calls';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { NotFound } from '#kernel/app-error';
import { type Micro, micro, microToJson } from '#kernel/money';
import { pageOf } from '#platform/http/routes/page-query';
import { IdempotencyMismatch } from '#platform/http/routes/routes.errors';
import type {
  AdminAccount,
  AdminAccountsAnswer,
  AdminAccountsQuery,
  CreditBody,
  ResetLinkAnswer,
  ResetLinkBody,
} from './admin.dto';
import type { AdminAction, AuditEntry } from './audit-entry.entity';
import { AuditRepository } from './audit.repository';
import { doneBy } from './operators';

/** The operators' actions on accounts. The audit records each action before the service executes it. */
@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly funds: AccountFunds,
    private readonly resets: PasswordResets,
    private readonly proofs: AddressProofs,
    private readonly audit: AuditRepository,
  ) {}

  async list({ limit, cursor, search }: AdminAccountsQuery): Promise<AdminAccountsAnswer> {
    const found = await this.accounts.page(limit + 1, cursor, search);
    const { page, nextCursor } = pageOf(found, limit, ({ id }) => id);
    const balances = await this.funds.balances(page.map(({ id }) => creditsAccount(id)));
    return {
      accounts: page.map((account) =>
        this.answerFor(account, balances.get(creditsAccount(account.id)) ?? micro(0n)),
      ),
      nextCursor,
    };
  }

  async ban(id: string, reason: string | undefined, request: FastifyRequest): Promise<AdminAccount> {
    await this.existing(id);
    await this.note('ban', id, request, { reason });
    return this.answer(await this.accounts.ban(id));
  }

  async unban(id: string, reason: string | undefined, request: FastifyRequest): Promise<AdminAccount> {
    await this.existing(id);
    await this.note('unban', id, request, { reason });
    return this.answer(await this.accounts.unban(id));
  }

  async resetLink(
    id: string,
    { reason, removeSecondFactor }: ResetLinkBody,
    request: FastifyRequest,
  ): Promise<ResetLinkAnswer> {
    await this.existing(id);
    const subject = removeSecondFactor ? 'password and second factor' : 'password';
    await this.note('reset_link', id, request, { reason, subject });
    const link = await this.resets.byOperator(id, removeSecondFactor);
    if (link === undefined)
      throw new NotFound('This account is closed, or is an organisation without a password.');
    return { url: link.url, expiresAt: link.expiresAt.toISOString() };
  }

  async credit(id: string, body: CreditBody, request: FastifyRequest): Promise<AdminAccount> {
    const account = await this.existing(id);
    const amount = micro(BigInt(body.amountMicro));
    const mark = callerKeyOf({ request });
    const entry = await this.note('credit', id, request, {
      amount,
      reason: body.reason,
      mark,
    });
    if (entry.accountId !== id || entry.amount !== amount || entry.reason !== body.reason)
      throw new IdempotencyMismatch();
    // A repeated call gets the same audit entry, and the ledger credits the number of an entry only once.
    await this.funds.topUp(creditsAccount(id), amount, `admin:${entry.sequence}`);
    return this.answer(account);
  }

  private note(
    action: AdminAction,
    accountId: string,
    request: FastifyRequest,
    more: Partial<Pick<AuditEntry, 'amount' | 'reason' | 'mark' | 'subject'>>,
  ): Promise<AuditEntry> {
    return this.audit.add({ action, accountId, ...doneBy(request), ...more });
  }

  private async existing(id: string): Promise<Account> {
    const account = await this.accounts.find(id);
    if (account === undefined) throw new NotFound('There is no account with this id.');
    return account;
  }

  private async answer(account: Account | undefined): Promise<AdminAccount> {
    if (account === undefined) throw new NotFound('There is no account with this id.');
    return this.answerFor(account, await this.funds.balance(creditsAccount(account.id)));
  }

  private answerFor(account: Account, balance: Micro): AdminAccount {
    const { id, email, name, createdAt, bannedAt, closedAt } = account;
    return {
      id,
      email,
      name,
      balanceMicro: microToJson(balance),
      createdAt: createdAt.toISOString(),
      bannedAt: bannedAt?.toISOString() ?? null,
      closedAt: closedAt?.toISOString(),
      proofDue: this.proofs.isDue(account),
    };
  }
}
