import { Injectable, Logger } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A scrape waits this long for the gauges that others fill; what comes later shows the value before. */
const FILL_MS_MAX = 1_000;

/** From a cached answer to the longest synchronous window. Few, because every route and status has them all. */
const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 100];
const PROVIDER_SECONDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120];

/** Every number that operators see, by what happened. One registry per application: tests run several at once. */
@Injectable()
export class Metrics {
  private readonly logger = new Logger(Metrics.name);
  private readonly registry = new Registry();
  private readonly fillers = new Set<() => Promise<void> | void>();
  private readonly registers = [this.registry];

  private readonly requests = new Histogram({
    name: 'lamppost_http_request_seconds',
    help: 'Requests answered, by method, route template and status, and how long they took.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: this.registers,
  });
  private readonly charges = new Counter({
    name: 'lamppost_charges_total',
    help: 'Moves of charges into a state, by rail.',
    labelNames: ['rail', 'state'],
    registers: this.registers,
  });
  private readonly held = new Gauge({
    name: 'lamppost_held_micro_usd',
    help: 'Micro-USD held now for calls that are neither charged nor released, by rail.',
    labelNames: ['rail'],
    registers: this.registers,
  });
  private readonly driftMicro = new Gauge({
    name: 'lamppost_drift_micro_usd',
    help: 'Balances minus the sum of their ledger entries. Anything but 0 is an incident.',
    labelNames: ['ledger'],
    registers: this.registers,
  });
  private readonly providerSeconds = new Histogram({
    name: 'lamppost_provider_call_seconds',
    help: 'Calls to providers, by operation, and how long they took.',
    labelNames: ['provider', 'operation'],
    buckets: PROVIDER_SECONDS,
    registers: this.registers,
  });
  private readonly providerErrors = new Counter({
    name: 'lamppost_provider_errors_total',
    help: 'Calls to providers that failed, by operation and reason.',
    labelNames: ['provider', 'operation', 'reason'],
    registers: this.registers,
  });
  private readonly depth = new Gauge({
    name: 'lamppost_queue_depth',
    help: 'Entries of each queue, by state.',
    labelNames: ['queue', 'state'],
    registers: this.registers,
  });
  private readonly lag = new Gauge({
    name: 'lamppost_event_loop_lag_seconds',
    help: 'How late the event loop ran since the last scrape.',
    labelNames: ['quantile'],
    registers: this.registers,
  });
  private readonly memory = new Gauge({
    name: 'lamppost_memory_bytes',
    help: 'Memory of the process: the resident set and the used heap.',
    labelNames: ['kind'],
    registers: this.registers,
  });
  private readonly gas = new Gauge({
    name: 'lamppost_relayer_gas_wei',
    help: 'What each relayer wallet has left for gas.',
    labelNames: ['relayer'],
    registers: this.registers,
  });

  private readonly lost = new Counter({
    name: 'lamppost_x402_lost_micro_usd_total',
    help: 'Micro-USD of payments that the chain took and forgot for good. Anything but 0 is an incident.',
    registers: this.registers,
  });

  private readonly webhookTries = new Counter({
    name: 'lamppost_webhook_tries_total',
    help: 'Tries of webhook deliveries, by outcome.',
    labelNames: ['outcome'],
    registers: this.registers,
  });
  private readonly webhooksPending = new Gauge({
    name: 'lamppost_webhook_pending',
    help: 'Webhook deliveries that wait for a try, the next one included.',
    registers: this.registers,
  });
  private readonly webhooksOldest = new Gauge({
    name: 'lamppost_webhook_oldest_seconds',
    help: 'How long the oldest pending webhook delivery has waited.',
    registers: this.registers,
  });

  private readonly mailPending = new Gauge({
    name: 'lamppost_mail_pending',
    help: 'E-mails to accounts that wait for a try, the next one included.',
    registers: this.registers,
  });
  private readonly mailOldest = new Gauge({
    name: 'lamppost_mail_oldest_seconds',
    help: 'How long the oldest e-mail has waited. After a day it is given up.',
    registers: this.registers,
  });
  private readonly reconciled = new Gauge({
    name: 'lamppost_reconciled_at_seconds',
    help: 'When this process last compared the books, in seconds since 1970; 0 if it never did.',
    registers: this.registers,
  });

  readonly contentType = this.registry.contentType;

  httpRequest(request: { method: string; route: string; status: number; seconds: number }): void {
    const { method, route, status, seconds } = request;
    this.requests.observe({ method, route, status }, seconds);
  }

  chargeMoved(rail: string, state: string): void {
    this.charges.inc({ rail, state });
  }

  heldMicro(rail: string, micro: bigint): void {
    this.held.set({ rail }, Number(micro));
  }

  drift(ledger: string, micro: bigint): void {
    this.driftMicro.set({ ledger }, Number(micro));
  }

  paymentLost(micro: bigint): void {
    this.lost.inc(Number(micro));
  }

  providerAnswered(provider: string, operation: string, seconds: number): void {
    this.providerSeconds.observe({ provider, operation }, seconds);
  }

  providerFailed(provider: string, operation: string, reason: string): void {
    this.providerErrors.inc({ provider, operation, reason });
  }

  queueDepth(queue: string, state: string, entries: number): void {
    this.depth.set({ queue, state }, entries);
  }

  eventLoopLag(quantile: string, seconds: number): void {
    this.lag.set({ quantile }, seconds);
  }

  memoryBytes(kind: string, bytes: number): void {
    this.memory.set({ kind }, bytes);
  }

  webhookTried(outcome: string): void {
    this.webhookTries.inc({ outcome });
  }

  webhookBacklog(pending: number, oldestSeconds: number): void {
    this.webhooksPending.set(pending);
    this.webhooksOldest.set(oldestSeconds);
  }

  mailBacklog(pending: number, oldestSeconds: number): void {
    this.mailPending.set(pending);
    this.mailOldest.set(oldestSeconds);
  }

  reconciledAt(time: Date): void {
    this.reconciled.set(time.getTime() / 1_000);
  }

  relayerGas(relayer: string, wei: bigint): void {
    this.gas.reset(); // One that was before is asked for no more, and whoever empties it needs no alert.
    this.gas.set({ relayer }, Number(wei));
  }

  /** Runs before each scrape, for numbers that are read where they live instead of counted as they change. */
  beforeScrape(fill: () => Promise<void> | void): void {
    this.fillers.add(fill);
  }

  async text(): Promise<string> {
    await Promise.all([...this.fillers].map((fill) => this.fillInTime(fill)));
    return this.registry.metrics();
  }

  private async fillInTime(fill: () => Promise<void> | void): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FILL_MS_MAX).unref();
    });
    const filled = (async () => fill())().catch((error: unknown) => {
      this.logger.warn({ err: error }, 'A metric could not be read.');
    });
    await Promise.race([filled, late]);
    clearTimeout(timer);
  }
}
