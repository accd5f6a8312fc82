import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { AccountsService } from '#people/accounts/accounts.service';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { type StrayPayment, type StrayState } from '#money/credits/stray-payment.entity';
import { StrayPayments } from '#money/credits/stray-payment.repository';
import { InvalidRequest, NotFound } from '#kernel/app-error';
import { type Micro, micro, microToJson } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import type { AdminPayment, AdminPaymentsAnswer, PaymentCreditBody } from './admin-payments.dto';
import { AlreadyResolved } from './admin.errors';
import type { AuditEntry } from './audit-entry.entity';
import { type AuditDraft, AuditRepository } from './audit.repository';
import { pageOf } from '#platform/http/routes/page-query';
import { doneBy } from './operators';

const answerFor = (payment: StrayPayment): AdminPayment => {
  const { amount, createdAt, resolvedAt, ...line } = payment;
  return {
    ...line,
    amountMicro: ifPresent(amount, microToJson),
    createdAt: createdAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString(),
  };
};

/**
 * The operators' decisions about payments that bought no credits. The audit has one entry for each payment, written
 * before the action. A repeated decision finds that entry, and the service executes only the entry's action.
 */
@Injectable()
export class AdminPaymentsService {
  constructor(
    private readonly payments: StrayPayments,
    private readonly accounts: AccountsService,
    private readonly funds: AccountFunds,
    private readonly audit: AuditRepository,
  ) {}

  async list(state: StrayState | undefined, limit: number, cursor?: string): Promise<AdminPaymentsAnswer> {
    const found = await this.payments.page(state, limit + 1, cursor);
    const { page, nextCursor } = pageOf(found, limit, ({ id }) => id);
    return { payments: page.map(answerFor), nextCursor };
  }

  async credit(id: string, body: PaymentCreditBody, request: FastifyRequest): Promise<AdminPayment> {
    const payment = await this.existing(id);
    const accountId = body.accountId ?? payment.accountId;
    if (accountId === undefined || (await this.accounts.find(accountId)) === undefined) {
      throw new InvalidRequest('accountId must name an account: this payment names none.', {
        param: 'accountId',
      });
    }
    const amount = amountOf(payment, body.amountMicro);
    await this.note(payment, request, { action: 'credit', accountId, amount, reason: body.reason });
    // The payment's id is the source in the ledger, so a repeated call does not credit twice.
    await this.funds.topUp(creditsAccount(accountId), amount, `payment:${id}`);
    return this.resolved(id, 'credited');
  }

  /** Closes a payment without a credit: its money was refunded at its origin, or belongs to nobody. */
  async close(id: string, reason: string, request: FastifyRequest): Promise<AdminPayment> {
    const payment = await this.existing(id);
    const accountId = payment.accountId ?? '';
    await this.note(payment, request, { action: 'close_payment', accountId, reason });
    return this.resolved(id, 'closed');
  }

  private async note(
    { id }: StrayPayment,
    request: FastifyRequest,
    draft: Pick<AuditDraft, 'action' | 'accountId' | 'amount' | 'reason'>,
  ): Promise<AuditEntry> {
    const entry = await this.audit.add({ ...draft, mark: `payment:${id}`, ...doneBy(request) });
    const isSame =
      entry.action === draft.action && entry.accountId === draft.accountId && entry.amount === draft.amount;
    if (!isSame) throw new AlreadyResolved();
    return entry;
  }

  private async resolved(id: string, state: Exclude<StrayState, 'open'>): Promise<AdminPayment> {
    return answerFor((await this.payments.resolve(id, state)) ?? (await this.existing(id)));
  }

  private async existing(id: string): Promise<StrayPayment> {
    const payment = await this.payments.find(id);
    if (payment === undefined) throw new NotFound('There is no such payment.');
    return payment;
  }
}

/** The amount of a payment in dollars is known. For any other currency, an operator must enter the amount. */
const amountOf = ({ amount, currency }: StrayPayment, entered: number | undefined): Micro => {
  const paid = currency === 'usd' && amount !== undefined && amount > 0n ? amount : undefined;
  const given = entered === undefined ? paid : micro(BigInt(entered));
  if (given === undefined) {
    throw new InvalidRequest('amountMicro must say what to credit: this payment was not in dollars.', {
      param: 'amountMicro',
    });
  }
  return given;
};
