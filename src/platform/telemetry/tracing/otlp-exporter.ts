import { Logger } from '@nestjs/common';

import { BackgroundTask } from '../../background/background-task';
import { Outage } from '../../background/outage';
import type { PlacedSpan } from './trace';

const SEND_EVERY_MS = 2_000;
const SPANS_AT_ONCE = 512;
/** A collector that is away costs so much memory, and no call. */
const SPANS_MAX = 4_096;
const SEND_MS_MAX = 5_000;

export interface OtlpSettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  /** How many of a thousand traces are kept. */
  readonly keepPermille: number;
}

const valueOf = (value: string | number | boolean): object => {
  if (typeof value === 'number') return { intValue: String(value) };
  return typeof value === 'boolean' ? { boolValue: value } : { stringValue: value };
};

const attributesOf = (about: PlacedSpan['about']): object[] =>
  Object.entries(about).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }],
  );

const written = ({ began, ended, failed, about, link, parentId, ...span }: PlacedSpan): object => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(parentId && { parentSpanId: parentId }),
  name: span.name,
  kind: span.kind,
  startTimeUnixNano: String(began),
  endTimeUnixNano: String(ended),
  attributes: attributesOf(about),
  status: failed ? { code: 2 } : {},
  ...(link && { links: [link] }),
});

/** Sends spans to a collector, as JSON of the OpenTelemetry protocol over HTTP. What can't be sent is forgotten. */
export class OtlpExporter {
  private readonly outage = new Outage('Sending traces', new Logger('Tracing'));
  private readonly sendingAll = new BackgroundTask(() => this.flush(), this.outage, {
    everyMs: SEND_EVERY_MS,
  });
  private spans: PlacedSpan[] = [];
  private sending?: Promise<void>;

  constructor(private readonly settings: OtlpSettings) {
    this.sendingAll.wake(SEND_EVERY_MS);
  }

  readonly add = (span: PlacedSpan): void => {
    // By its trace's id, so that all processes keep the same traces whole.
    if (Number.parseInt(span.traceId.slice(0, 8), 16) % 1_000 >= this.settings.keepPermille) return;
    if (this.spans.length < SPANS_MAX) this.spans.push(span);
  };

  async flush(): Promise<void> {
    await this.sending;
    while (this.spans.length > 0) {
      this.sending = this.send(this.spans.splice(0, SPANS_AT_ONCE));
      await this.sending;
    }
  }

  async close(): Promise<void> {
    await this.sendingAll.stop();
    await this.flush().catch(() => undefined); // The traces of a collector that is away are lost.
  }

  private async send(spans: readonly PlacedSpan[]): Promise<void> {
    const { endpoint, headers, service } = this.settings;
    const body = {
      resourceSpans: [
        {
          resource: { attributes: attributesOf({ 'service.name': service, 'process.pid': process.pid }) },
          scopeSpans: [{ scope: { name: 'lamppost' }, spans: spans.map(written) }],
        },
      ],
    };
    const answer = await fetch(`${endpoint.replace(/\/+$/, '')}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(SEND_MS_MAX),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`The collector of traces answers ${answer.status}.`);
  }
}
