import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry, register } from 'prom-client';

/** The longest time for which a scrape waits for values that are read on demand. */
const READ_MS_MAX = 1_000;

/**
 * Buckets from the time of a cached answer to the longest synchronous wait. There are few, because each pair of route
 * and status has all buckets.
 */
const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 100];
const PROVIDER_SECONDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120];

/** The sums of the payment channels on one network, in micro-USD. */
interface ChannelFigures {
  readonly network: string;
  readonly open: number;
  readonly owed: bigint;
  readonly claimed: bigint;
  readonly atRisk: bigint;
  readonly unspent: bigint;
}

/**
 * The service's own metrics, in the registry of this application. `/metrics` shows them together with prom-client's
 * global registry, to which a `new Counter({ … })` of any module adds itself.
 */
@Injectable()
export class Metrics implements OnApplicationBootstrap {
  private readonly logger = new Logger(Metrics.name);
  private readonly fillers = new Set<() => Promise<void> | void>();
  private readonly failingWork = new Set<string>();

  private readonly requests = this.times(
    REQUEST_SECONDS,
    'lamppost_http_request_seconds',
    'Answered requests, by method, route template, status and duration.',
    'method',
    'route',
    'status',
  );
  private readonly charges = this.counter(
    'lamppost_charges_total',
    'Moves of charges into a state, by rail.',
    'rail',
    'state',
  );
  private readonly held = this.gauge(
    'lamppost_held_micro_usd',
    'Micro-USD held now for calls that are neither charged nor released, by rail.',
    'rail',
  );
  private readonly channelMicro = this.gauge(
    'lamppost_channel_micro_usd',
    'Micro-USD of payment channels by network: owed, claimed, at_risk and unspent.',
    'network',
    'sum',
  );
  private readonly channelsOpen = this.gauge(
    'lamppost_channels_open',
    'Payment channels that hold money, by network.',
    'network',
  );
  private readonly driftMicro = this.gauge(
    'lamppost_drift_micro_usd',
    'Balances minus the sum of their ledger entries. Anything but 0 is an incident.',
    'ledger',
  );
  private readonly providerSeconds = this.times(
    PROVIDER_SECONDS,
    'lamppost_provider_call_seconds',
    'Calls to providers, by operation and duration.',
    'provider',
    'operation',
  );
  private readonly providerErrors = this.counter(
    'lamppost_provider_errors_total',
    'Calls to providers that failed, by operation and reason.',
    'provider',
    'operation',
    'reason',
  );
  private readonly credentials = this.counter(
    'lamppost_content_credentials_total',
    'Results by whether they carry a signed manifest. The log says why one does not.',
    'outcome',
  );
  private readonly margins = this.gauge(
    'lamppost_model_margin_micro_usd',
    'Charges minus the cost at vendors, of today and yesterday, by model. Below 0 a model sells below cost.',
    'model',
  );
  private readonly failing = this.gauge(
    'lamppost_background_failing_seconds',
    'Seconds for which a background task has been failing, by name; 0 once it works again.',
    'work',
  );
  private readonly sweeps = this.gauge(
    'lamppost_sweep_failing_rows',
    'Rows that a scheduled task tries again and again without success, by the task.',
    'sweep',
  );
  private readonly depth = this.gauge(
    'lamppost_queue_depth',
    'Entries of each queue, by state.',
    'queue',
    'state',
  );
  private readonly lag = this.gauge(
    'lamppost_event_loop_lag_seconds',
    'How late the event loop ran since the last scrape.',
    'quantile',
  );
  private readonly memory = this.gauge(
    'lamppost_memory_bytes',
    'Memory of the process: the resident set and the used heap.',
    'kind',
  );
  private readonly gas = this.gauge(
    'lamppost_relayer_gas_wei',
    'Remaining gas money of each relayer wallet.',
    'relayer',
  );
  private readonly lost = this.counter(
    'lamppost_x402_lost_micro_usd_total',
    'Micro-USD of payments that the chain accepted and dropped for good. Any value but 0 is an incident.',
  );
  private readonly webhookTries = this.counter(
    'lamppost_webhook_tries_total',
    'Tries of webhook deliveries, by outcome.',
    'outcome',
  );
  private readonly webhooksPending = this.gauge(
    'lamppost_webhook_pending',
    'Webhook deliveries that wait for a try, the next one included.',
  );
  private readonly webhooksOldest = this.gauge(
    'lamppost_webhook_oldest_seconds',
    'Age of the oldest pending webhook delivery.',
  );
  private readonly mailPending = this.gauge(
    'lamppost_mail_pending',
    'E-mails to accounts that wait for a try, the next one included.',
  );
  private readonly mailOldest = this.gauge(
    'lamppost_mail_oldest_seconds',
    'Age of the oldest waiting e-mail. After a day it is dropped.',
  );
  private readonly reconciled = this.gauge(
    'lamppost_reconciled_at_seconds',
    'When this process last compared the books, in seconds since 1970; 0 if it never did.',
  );

  constructor(private readonly registry: Registry = new Registry()) {}

  readonly contentType = register.contentType;

  /** Prometheus refuses a whole page if two metrics have the same name. */
  onApplicationBootstrap(): void {
    const twice = register.getMetricsAsArray().find(({ name }) => this.registry.getSingleMetric(name));
    if (twice !== undefined) throw new Error(`Two metrics have the name ${twice.name}.`);
  }

  httpRequest(request: { method: string; route: string; status: number; seconds: number }): void {
    const { method, route, status, seconds } = request;
    this.requests.observe({ method, route, status }, seconds);
  }

  chargeMoved(rail: string, state: string): void {
    this.charges.inc({ rail, state });
  }

  backgroundFailing(seconds: Readonly<Record<string, number>>): void {
    for (const work of Object.keys(seconds)) this.failingWork.add(work);
    for (const work of this.failingWork) this.failing.set({ work }, seconds[work] ?? 0);
  }

  heldMicro(rail: string, micro: bigint): void {
    this.held.set({ rail }, Number(micro));
  }

  channels({ network, open, owed, claimed, atRisk, unspent }: ChannelFigures): void {
    this.channelsOpen.set({ network }, open);
    for (const [sum, micro] of Object.entries({ owed, claimed, at_risk: atRisk, unspent }))
      this.channelMicro.set({ network, sum }, Number(micro));
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

  credentialMade(outcome: 'signed' | 'unsigned'): void {
    this.credentials.inc({ outcome });
  }

  modelMargins(margins: ReadonlyMap<string, bigint>): void {
    this.margins.reset(); // A model without recent calls has no margin, so its old value must not stay.
    for (const [model, micro] of margins) this.margins.set({ model }, Number(micro));
  }

  sweepsFailing(rows: ReadonlyMap<string, number>): void {
    this.sweeps.reset();
    for (const [sweep, failing] of rows) this.sweeps.set({ sweep }, failing);
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
    this.gas.reset(); // The old values must not stay: a network that is no longer configured needs no alert.
    this.gas.set({ relayer }, Number(wei));
  }

  /**
   * Registers a function that runs before each scrape. It is for values that are read from their source instead of
   * counted.
   */
  beforeScrape(fill: () => Promise<void> | void): void {
    this.fillers.add(fill);
  }

  async text(): Promise<string> {
    await Promise.all([...this.fillers].map((fill) => this.inTime(fill)));
    const families = [this.registry, register].flatMap((registry) =>
      registry
        .getMetricsAsArray()
        .map(({ name }) => this.inTime(() => registry.getSingleMetricAsString(name))),
    );
    const texts = (await Promise.all(families)).filter((text) => text !== undefined);
    return `${texts.join('\n\n')}\n`;
  }

  /** Undefined if reading fails or takes too long, so that one unreadable value does not hide the others. */
  private async inTime<T>(read: () => Promise<T> | T): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), READ_MS_MAX).unref();
    });
    const done = (async () => read())().catch((error: unknown) => {
      this.logger.warn({ err: error }, 'A metric could not be read.');
      return undefined;
    });
    const result = await Promise.race([done, late]);
    clearTimeout(timer);
    return result;
  }

  private counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private gauge<Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  private times<Label extends string>(
    buckets: number[],
    name: string,
    help: string,
    ...labelNames: Label[]
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}
