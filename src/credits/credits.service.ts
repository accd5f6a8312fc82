import { Inject, Injectable } from '@nestjs/common';

import type { Account } from '../accounts/account';
import { accountLinks } from '../accounts/account-links';
import { ChargeReports } from '../billing/charges/charge-reports';
import { AccountFunds } from '../billing/ledger/account-funds';
import { creditsAccount } from '../billing/ledger/account-id';
import { InvalidRequest } from '../kernel/app-error';
import { Clock } from '../kernel/clock';
import { micro, microToJson, usdText } from '../kernel/money';
import { SETTINGS, type Settings } from '../platform/config/settings';
import type {
  AccountAnswer,
  CreditTransaction,
  CreditTransactionsAnswer,
  KeyBalanceAnswer,
  UsageAnswer,
} from './credits.dto';
import { daysIn } from './days';

const RECENT = 10;

const beforeOf = (cursor: string | undefined): bigint | undefined => {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) {
    throw new InvalidRequest('cursor must be the nextCursor of an earlier page.', { param: 'cursor' });
  }
  return cursor === undefined ? undefined : BigInt(cursor);
};

/** What an account has, and what became of it. */
@Injectable()
export class CreditsService {
  constructor(
    private readonly funds: AccountFunds,
    private readonly reports: ChargeReports,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async account({ id, email, createdAt }: Account): Promise<AccountAnswer> {
    const balance = await this.funds.balance(creditsAccount(id));
    return { id, email, balanceMicro: microToJson(balance), createdAt: createdAt.toISOString() };
  }

  async keyBalance(accountId: string): Promise<KeyBalanceAnswer> {
    const [balance, { transactions }] = await Promise.all([
      this.funds.balance(creditsAccount(accountId)),
      this.transactions(accountId, RECENT),
    ]);
    return {
      balanceUsd: Number(usdText(balance)),
      balanceMicro: microToJson(balance),
      currency: 'USD',
      recent: transactions,
      topUp: accountLinks(this.settings.http.publicUrl).topUp,
    };
  }

  async transactions(accountId: string, limit: number, cursor?: string): Promise<CreditTransactionsAnswer> {
    const entries = await this.funds.entries(creditsAccount(accountId), limit + 1, beforeOf(cursor));
    const page = entries.slice(0, limit);
    return {
      transactions: page.map((entry): CreditTransaction => ({
        id: `${accountId}-${entry.sequence}`,
        kind: entry.kind,
        amountMicro: microToJson(entry.amount),
        balanceAfterMicro: microToJson(entry.balanceAfter),
        ...(entry.chargeId === undefined ? {} : { chargeId: entry.chargeId }),
        ...(entry.modelId === undefined ? {} : { modelId: entry.modelId }),
        ...(entry.transaction === undefined ? {} : { transaction: entry.transaction }),
        createdAt: entry.createdAt.toISOString(),
      })),
      nextCursor: entries.length > limit ? String(page.at(-1)?.sequence) : null,
    };
  }

  async usage(accountId: string, from: unknown, to: unknown): Promise<UsageAnswer> {
    const days = daysIn(from, to, this.clock.now());
    const rows = await this.reports.usage(accountId, days.from, days.to);
    const spent = rows.reduce((sum, row) => sum + row.spent, 0n);
    return {
      ...days,
      spentMicro: microToJson(micro(spent)),
      usage: rows.map(({ day, modelId, keyId, calls, spent: micros }) => ({
        day,
        modelId: modelId ?? null,
        keyId: keyId ?? null,
        calls,
        spentMicro: microToJson(micros),
      })),
    };
  }
}
