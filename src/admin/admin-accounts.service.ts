import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import type { Account } from '../accounts/account.entity';
import { AccountsService } from '../accounts/accounts.service';
import { callerKeyOf } from '../billing/calls/earlier-calls';
import { AccountFunds } from '../billing/ledger/account-funds';
import { creditsAccount } from '../billing/ledger/account-id';
import { NotFound } from '../kernel/app-error';
import { type Micro, micro, microToJson } from '../kernel/money';
import { IdempotencyMismatch } from '../platform/http/routes/idempotency-key';
import type { AdminAccount, AdminAccountsAnswer, CreditBody } from './admin.dto';
import type { AdminAction, AuditEntry } from './audit-entry.entity';
import { AuditRepository } from './audit.repository';
import { doneBy } from './operators';

const answerFor = ({ id, email, name, createdAt, bannedAt }: Account, balance: Micro): AdminAccount => ({
  id,
  email,
  name,
  balanceMicro: microToJson(balance),
  createdAt: createdAt.toISOString(),
  bannedAt: bannedAt?.toISOString() ?? null,
});

/** The operators' actions on accounts. Each action is recorded before it is done. */
@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly funds: AccountFunds,
    private readonly audit: AuditRepository,
  ) {}

  async list(limit: number, cursor: string | undefined): Promise<AdminAccountsAnswer> {
    const found = await this.accounts.page(limit + 1, cursor);
    const page = found.slice(0, limit);
    const balances = await this.funds.balances(page.map(({ id }) => creditsAccount(id)));
    return {
      accounts: page.map((account) =>
        answerFor(account, balances.get(creditsAccount(account.id)) ?? micro(0n)),
      ),
      nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null,
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

  async credit(id: string, body: CreditBody, request: FastifyRequest): Promise<AdminAccount> {
    const account = await this.existing(id);
    const amount = micro(BigInt(body.amountMicro));
    const mark = callerKeyOf({ request });
    const entry = await this.note('credit', id, request, {
      amount,
      reason: body.reason,
      mark,
    });
    if (entry.accountId !== id || entry.amount !== amount || entry.reason !== body.reason) {
      throw new IdempotencyMismatch();
    }
    // The entry's number is the source, so that a repeated call can't credit twice.
    await this.funds.topUp(creditsAccount(id), amount, `admin:${entry.sequence}`);
    return this.answer(account);
  }

  private note(
    action: AdminAction,
    accountId: string,
    request: FastifyRequest,
    more: { readonly amount?: Micro; readonly reason?: string; readonly mark?: string },
  ): Promise<AuditEntry> {
    return this.audit.add({ action, accountId, ...doneBy(request), ...more });
  }

  private async existing(id: string): Promise<Account> {
    const account = await this.accounts.find(id);
    if (account === undefined) {
      throw new NotFound('There is no account with this id.');
    }
    return account;
  }

  private async answer(account: Account | undefined): Promise<AdminAccount> {
    if (account === undefined) {
      throw new NotFound('There is no account with this id.');
    }
    return answerFor(account, await this.funds.balance(creditsAccount(account.id)));
  }
}
