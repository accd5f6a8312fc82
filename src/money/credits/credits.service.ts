import { Inject, Injectable } from '@nestjs/common';

import type { Acting } from '#people/accounts/acting-person';
import { accountLinks } from '#people/accounts/account-links';
import { AddressProofs } from '#people/accounts/proofs/address-proofs.service';
import { AccountRoutes } from '#people/accounts/routes/account-routes';
import { ChargeReportRepository } from '#money/billing/charges/charge-report.repository';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import type { EntryKind, NetworkEntry } from '#money/billing/ledger/ledger-entry.entity';
import type { Payer } from '#money/billing/rails/payer';
import { Rails } from '#money/billing/rails/rails';
import { Clock } from '#kernel/clock';
import { csvLine } from '#kernel/csv';
import { micro, microToJson, usdText } from '#kernel/money';
import { type View, viewOf } from '#people/keys/visible-rows';
import { sequenceIn } from '#platform/http/routes/page-query';
import type {
  AccountAnswer,
  CreditTransaction,
  CreditTransactionsAnswer,
  KeyBalanceAnswer,
  UsageAnswer,
} from './credits.dto';
import { daysIn } from './days';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const RECENT = 10;

const CSV_PAGE = 1_000;
const CSV_COLUMNS = [
  'createdAt',
  'kind',
  'amountMicro',
  'balanceAfterMicro',
  'modelId',
  'chargeId',
  'transaction',
  'id',
  'amountUsd',
  'balanceAfterUsd',
  'keyId',
  'keyName',
  'network',
] as const;

const transactionOf = (owner: string, entry: NetworkEntry): CreditTransaction => ({
  id: `${owner}-${entry.sequence}`,
  kind: entry.kind,
  amountMicro: microToJson(entry.amount),
  balanceAfterMicro: microToJson(entry.balanceAfter),
  chargeId: entry.chargeId,
  modelId: entry.modelId,
  transaction: entry.transaction,
  network: entry.network,
  createdAt: entry.createdAt.toISOString(),
});

const NOTHING = micro(0n);
const NO_ENTRIES = { entries: [] } as const;

const usdOf = (amountMicro: number): string => usdText(micro(BigInt(amountMicro)));

/** The balance of an account, and its history. */
@Injectable()
export class CreditsService {
  constructor(
    private readonly funds: AccountFunds,
    private readonly rails: Rails,
    private readonly reports: ChargeReportRepository,
    private readonly clock: Clock,
    private readonly proofs: AddressProofs,
    private readonly routes: AccountRoutes,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  async account({ person, organisation, role }: Acting): Promise<AccountAnswer> {
    const { id, email, createdAt } = person;
    const account = creditsAccount(organisation.id);
    const [balance, reserved] = await Promise.all([
      this.funds.balance(account),
      this.funds.reserved(account),
    ]);
    return {
      id,
      email,
      proofDue: this.proofs.isDue(person),
      balanceMicro: microToJson(balance),
      reservedMicro: microToJson(reserved),
      createdAt: createdAt.toISOString(),
      organisation: { id: organisation.id, name: organisation.name, role, may: this.routes.linesFor(role) },
    };
  }

  async keyBalance(payer: Payer): Promise<KeyBalanceAnswer> {
    const { id, ledgerAccount = '', key } = payer;
    const isWhole = key?.isDelegated !== true;
    const view = viewOf(id, payer);
    const [balance, reserved, recent] = await Promise.all([
      this.rails.prepaid(payer.rail).balance(payer),
      isWhole ? this.funds.reserved(ledgerAccount) : NOTHING,
      isWhole ? this.funds.page(ledgerAccount, { limit: RECENT, view }) : NO_ENTRIES,
    ]);
    return {
      balanceUsd: Number(usdText(balance)),
      balanceMicro: microToJson(balance),
      reservedMicro: microToJson(reserved),
      currency: 'USD',
      recent: recent.entries.map((entry) => transactionOf(id, entry)),
      topUp: accountLinks(this.settings.http.publicUrl).topUp,
    };
  }

  /** Developers see the transactions of their own calls only. */
  async transactions(
    view: View,
    limit: number,
    cursor?: string,
    kind?: EntryKind,
  ): Promise<CreditTransactionsAnswer> {
    const { owner } = view;
    const before = sequenceIn(cursor);
    const { entries, next } = await this.funds.page(creditsAccount(owner), { limit, before, kind, view });
    return {
      transactions: entries.map((entry) => transactionOf(owner, entry)),
      nextCursor: next === undefined ? null : String(next),
    };
  }

  /** All transactions as CSV, newest first. They are read a page at a time, because they may not fit into memory. */
  async *transactionsCsv(view: View, kind?: EntryKind): AsyncGenerator<string> {
    yield csvLine(CSV_COLUMNS);
    let cursor: string | undefined;
    do {
      const page = await this.transactions(view, CSV_PAGE, cursor, kind);
      const keys = await this.reports.keysOf(page.transactions.flatMap(({ chargeId }) => chargeId ?? []));
      yield page.transactions
        .map((line) => {
          const { id: keyId, name: keyName } = keys.get(line.chargeId ?? '') ?? {};
          const [amountUsd, balanceAfterUsd] = [usdOf(line.amountMicro), usdOf(line.balanceAfterMicro)];
          const cells = { ...line, amountUsd, balanceAfterUsd, keyId, keyName };
          return csvLine(CSV_COLUMNS.map((column) => cells[column] ?? ''));
        })
        .join('');
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  async usage(accountId: string, from: unknown, to: unknown): Promise<UsageAnswer> {
    const days = daysIn(from, to, this.clock.now());
    const rows = await this.reports.usage(accountId, days.from, days.to);
    const spent = rows.reduce((sum, row) => sum + row.spent, 0n);
    return {
      ...days,
      spentMicro: microToJson(micro(spent)),
      usage: rows.map(({ day, modelId, keyId, calls, spent: micros, inputTokens, outputTokens }) => ({
        day,
        modelId: modelId ?? null,
        keyId: keyId ?? null,
        calls,
        spentMicro: microToJson(micros),
        inputTokens,
        outputTokens,
      })),
    };
  }
}
