import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

import { type Span, SpanKind, SpanStatusCode, type Tracer, context, trace } from '@opentelemetry/api';

/** The spans of running outgoing calls, by their request. */
class OutgoingSpans {
  private readonly spans = new WeakMap<object, Span>();

  constructor(private readonly tracer: Tracer) {}

  /** Begins a span only below another span, because work without a caller belongs to no trace. */
  begin(request: object, method: string, host: string): void {
    if (trace.getSpan(context.active()) === undefined) return;
    // The span has neither path nor query, because both may contain texts of callers, or ids that permit access.
    const attributes = { 'server.address': host };
    const span = this.tracer.startSpan(`${method} ${host}`, { kind: SpanKind.CLIENT, attributes });
    this.spans.set(request, span);
  }

  end(request: object, status: number | undefined): void {
    const span = this.spans.get(request);
    if (span === undefined) return;
    this.spans.delete(request);
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    if (status === undefined || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}

type Listener = Parameters<typeof subscribe>[1];

const subscribed = (listeners: Readonly<Record<string, Listener>>): (() => void) => {
  for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener);
  };
};

interface UndiciRequest {
  readonly method: string;
  readonly origin: string | URL;
}

/** Makes spans of calls by undici. The answer ends the span. */
export const watchUndici = (tracer: Tracer): (() => void) => {
  const spans = new OutgoingSpans(tracer);
  const of = (message: unknown) =>
    message as { readonly request: UndiciRequest; readonly response?: { readonly statusCode: number } };
  return subscribed({
    'undici:request:create': (message) => {
      const { method, origin } = of(message).request;
      spans.begin(of(message).request, method, new URL(origin).host);
    },
    'undici:request:headers': (message) => spans.end(of(message).request, of(message).response?.statusCode),
    'undici:request:error': (message) => spans.end(of(message).request, undefined),
  });
};

/** Makes spans of calls by Node's own client. */
export const watchNodeHttp = (tracer: Tracer): (() => void) => {
  const spans = new OutgoingSpans(tracer);
  const of = (message: unknown) =>
    message as { readonly request: ClientRequest; readonly response?: IncomingMessage };
  return subscribed({
    'http.client.request.start': (message) => {
      const { request } = of(message);
      spans.begin(request, request.method, request.host);
    },
    'http.client.response.finish': (message) =>
      spans.end(of(message).request, of(message).response?.statusCode),
    'http.client.request.error': (message) => spans.end(of(message).request, undefined),
  });
};
