import { Injectable } from '@nestjs/common';

import { ChargeReportRepository } from '#money/billing/charges/charge-report.repository';
import { type Drift, ReconciliationProcessor } from '#money/billing/sweeps/reconciliation.processor';
import type { JobListAnswer } from '#work/jobs/jobs.dto';
import { JobsService } from '#work/jobs/jobs.service';
import { microToJson } from '#kernel/money';
import { checksummed, parseWallet } from '#kernel/wallet-address';
import { ifPresent } from '#kernel/present';
import { QueueHealth } from '#platform/queue/queue-health';
import { pageOf, sequenceIn } from '#platform/http/routes/page-query';
import {
  type AdminChargesAnswer,
  type AdminChargesQuery,
  type AuditAnswer,
  type DriftAnswer,
  type DriftReading,
  type QueuesAnswer,
} from './admin.dto';
import { AuditRepository } from './audit.repository';
import { type JobStatus } from '#work/jobs/job.entity';

const payerText = (payer: string): string => {
  const wallet = parseWallet(payer);
  return wallet === undefined ? payer : checksummed(wallet);
};

const readingOf = (at: Date, drift: Drift): DriftReading => ({
  at: at.toISOString(),
  driftMicro: Object.fromEntries(Object.entries(drift).map(([ledger, micros]) => [ledger, Number(micros)])),
});

const REASON_CHARS_MAX = 500;

@Injectable()
export class AdminReportsService {
  constructor(
    private readonly report: ChargeReportRepository,
    private readonly jobs: JobsService,
    private readonly queues: QueueHealth,
    private readonly books: ReconciliationProcessor,
    private readonly audit: AuditRepository,
  ) {}

  async jobsIn(status: JobStatus | undefined, limit: number): Promise<JobListAnswer> {
    return this.jobs.newest(status, limit);
  }

  async charges({ state, search, limit, cursor }: AdminChargesQuery): Promise<AdminChargesAnswer> {
    const about = ifPresent(search, (text) => parseWallet(text) ?? text);
    const found = await this.report.page({ state, about }, limit + 1, cursor);
    const { page, nextCursor } = pageOf(found, limit, ({ id }) => id);
    return {
      charges: page.map((charge) => ({
        id: charge.id,
        rail: charge.rail,
        operation: charge.operation,
        payer: payerText(charge.payer),
        keyId: charge.keyId,
        modelId: charge.modelId,
        state: charge.state,
        priceMicro: microToJson(charge.price),
        jobId: charge.jobId,
        leaseUntil: charge.leaseUntil?.toISOString(),
        createdAt: charge.createdAt.toISOString(),
        settledAt: charge.settledAt?.toISOString(),
        refundedAt: charge.refundedAt?.toISOString(),
      })),
      nextCursor,
    };
  }

  async queueDepths(): Promise<QueuesAnswer> {
    const [queues, failures] = await Promise.all([this.queues.depths(), this.queues.failures()]);
    return {
      queues,
      failures: failures.map(({ queue, job, at, reason }) => ({
        queue,
        job,
        at: at.toISOString(),
        reason: reason.slice(0, REASON_CHARS_MAX),
      })),
    };
  }

  async drift(): Promise<DriftAnswer> {
    const { last } = this.books;
    const drift = await this.books.run(true);
    return {
      now: readingOf(new Date(), drift),
      last: last && readingOf(last.at, last.drift),
    };
  }

  async auditPage(limit: number, cursor: string | undefined): Promise<AuditAnswer> {
    const found = await this.audit.page(limit + 1, sequenceIn(cursor));
    const { page, nextCursor } = pageOf(found, limit, ({ sequence }) => String(sequence));
    return {
      entries: page.map(({ sequence, amount, mark: _, createdAt, accountId, ...entry }) => ({
        id: String(sequence),
        ...entry,
        accountId: accountId || undefined,
        amountMicro: ifPresent(amount, microToJson),
        createdAt: createdAt.toISOString(),
      })),
      nextCursor,
    };
  }
}
