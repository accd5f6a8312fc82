import { Injectable } from '@nestjs/common';

import { micro } from '#kernel/money';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { ReconciliationMetrics } from './reconciliation.metrics';
import { ChargeRepository } from '../charges/charge.repository';
import { TransparencyAudit } from '../transparency/transparency-audit';
import { Rails } from '../rails/rails';
import { ChannelMetrics } from '../rails/channel/channel.metrics';
import { ChannelReport } from '../rails/channel/channel-report';
import { ChannelRepository } from '../rails/channel/channel.repository';
import { X402DriftRepository } from '../rails/x402/settlement/x402-drift.repository';
import { ReconciliationRepository } from './reconciliation.repository';

export type Drift = Readonly<Record<string, bigint>>;

/** Compares the ledger, the charges and the chain each minute. Any difference but 0 is an incident. */
@Injectable()
export class ReconciliationProcessor extends ScheduledProcessor {
  readonly name = 'reconciliation';
  readonly everyMs = 60_000;
  /** The result of the last run, for operators. */
  last: { readonly at: Date; readonly drift: Drift } | undefined;

  constructor(
    private readonly books: ReconciliationRepository,
    private readonly x402: X402DriftRepository,
    private readonly channels: ChannelRepository,
    private readonly reports: ChannelReport,
    private readonly transparency: TransparencyAudit,
    private readonly charges: ChargeRepository,
    private readonly rails: Rails,
    private readonly metrics: ReconciliationMetrics,
    private readonly channelMetrics: ChannelMetrics,
  ) {
    super();
  }

  /** An operator who awaits the result gets it without the pauses of the background. */
  async run(isAwaited = false): Promise<Drift> {
    const minute = Math.floor(Date.now() / this.everyMs);
    const checks: Readonly<Record<string, () => Promise<bigint>>> = {
      balances: () => this.books.balancesAgainstNewest(),
      entries: () => this.books.balancesAgainstSums(minute),
      charges: () => this.books.chargesAgainstEntries({ isAwaited }),
      bills: () => this.books.debitsBelowBills(),
      results: () => this.books.resultsWithoutCharge(minute),
      chain: () => this.x402.drift(),
      transfers: () => this.x402.transfers(minute),
      lost: () => this.x402.lost(),
      channels: () => this.channels.drift(minute),
      transparency: () => this.transparency.drift(minute),
    };
    const drift: Record<string, bigint> = {};
    const compare = async (ledger: string, check: () => Promise<bigint>): Promise<void> => {
      const amount = (drift[ledger] = await check());
      this.metrics.drift(ledger, amount);
      if (amount === 0n) return;
      const fields = { ledger, micro: amount.toString() };
      // The books balance if only a vendor bills more: nobody lost money but the operator.
      if (ledger === 'bills') this.logger.warn(fields, 'Vendors billed more than the charges of a day.');
      else this.logger.error(fields, 'The books do not balance.');
    };
    await this.each(
      ...Object.entries(checks).map(
        ([ledger, check]) =>
          () =>
            compare(ledger, check),
      ),
      async () => {
        const held = await this.charges.heldByRail();
        for (const { name } of this.rails.all) this.metrics.heldMicro(name, held.get(name) ?? micro(0n));
      },
      async () => {
        for (const sums of await this.reports.sums()) this.channelMetrics.set(sums);
      },
    );
    this.last = { at: new Date(), drift };
    this.metrics.reconciledAt(this.last.at);
    return drift;
  }
}
