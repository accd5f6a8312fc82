import type { ServerResponse } from 'node:http';

import { type Received, LoopbackServer } from './loopback-server';

interface Seen {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly links?: readonly { readonly traceId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** A collector of OpenTelemetry, which keeps the received spans. */
export class FakeCollector extends LoopbackServer {
  readonly spans: Seen[] = [];
  readonly headers: Received['headers'][] = [];
  bytes = '';
  status = 200;

  protected serve({ path, headers, body }: Received, response: ServerResponse): void {
    if (path === '/v1/traces') {
      this.bytes += body.toString();
      this.headers.push(headers);
      const { resourceSpans } = JSON.parse(body.toString()) as {
        resourceSpans: { scopeSpans: { spans: Seen[] }[] }[];
      };
      this.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
    }
    response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}');
  }
}
