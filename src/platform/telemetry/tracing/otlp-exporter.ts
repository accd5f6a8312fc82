import { Logger } from '@nestjs/common';

import type { PlacedSpan } from './trace';

const SEND_EVERY_MS = 2_000;
const SPANS_AT_ONCE = 512;
/** A collector that is away costs so much memory, and no call. */
const SPANS_MAX = 4_096;
const SEND_MS_MAX = 5_000;
const QUIET_MS = 60_000;

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
  private readonly logger = new Logger('Tracing');
  private readonly timer = setInterval(() => void this.flush(), SEND_EVERY_MS).unref();
  private spans: PlacedSpan[] = [];
  private sending?: Promise<void>;
  private quietUntil = 0;

  constructor(private readonly settings: OtlpSettings) {}

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
    clearInterval(this.timer);
    await this.flush();
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
    try {
      const answer = await fetch(`${endpoint.replace(/\/+$/, '')}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(SEND_MS_MAX),
      });
      await answer.arrayBuffer();
      if (!answer.ok) this.complain(`answers ${answer.status}`);
    } catch {
      this.complain('does not answer');
    }
  }

  private complain(how: string): void {
    if (Date.now() < this.quietUntil) return;
    this.quietUntil = Date.now() + QUIET_MS;
    this.logger.warn(`The collector of traces ${how}; traces are lost until it does.`);
  }
}
