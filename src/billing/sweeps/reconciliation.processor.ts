import { Injectable } from '@nestjs/common';

import { micro } from '../../kernel/money';
import { ScheduledProcessor } from '../../platform/queue/scheduled-processor';
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

  async run(): Promise<Drift> {
    const minute = Math.floor(Date.now() / this.everyMs);
    const drift: Drift = {
      balances: await this.books.balancesAgainstNewest(),
      entries: await this.books.balancesAgainstSums(minute),
      charges: await this.books.chargesAgainstEntries(),
      bills: await this.books.debitsBelowBills(),
      results: await this.books.resultsWithoutCharge(minute),
      chain: await this.x402.drift(),
      transfers: await this.x402.transfers(minute),
      lost: await this.x402.lost(),
      channels: await this.channels.drift(minute),
      transparency: await this.transparency.drift(minute),
    };
    for (const [ledger, amount] of Object.entries(drift)) {
      this.metrics.drift(ledger, amount);
      if (amount !== 0n) this.logger.error({ ledger, micro: amount.toString() }, 'The books do not balance.');
    }
    const held = await this.charges.heldByRail();
    for (const { name } of this.rails.all) {
      this.metrics.heldMicro(name, held.get(name) ?? micro(0n));
    }
    for (const sums of await this.reports.sums()) this.channelMetrics.set(sums);
    this.last = { at: new Date(), drift };
    this.metrics.reconciledAt(this.last.at);
    return drift;
  }
}
