import { Logger } from '@nestjs/common';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  context,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { Outage } from '#platform/background/outage';
import { RequestSlot } from '#platform/http/request-slot';
import { routeOf } from '#platform/http/routes/route';
import { type Traces, traceBy } from '#platform/telemetry/traces';
import { CallSpans, ChargeTraces, callIn, linkOf, spanIdsOf, withCall } from './charge-traces';
import { watchNodeHttp, watchUndici } from './outgoing-spans';
import type { TelemetrySettings } from '#platform/telemetry/telemetry.settings';

type TracingSettings = NonNullable<TelemetrySettings['tracing']>;

const SEND_EVERY_MS = 2_000;
/** The most spans in memory while a collector can't be reached. No call waits for the collector. */
const SPANS_MAX = 4_096;
const SEND_MS_MAX = 5_000;

/** The trace of a log line, if it is already known. */
export const tracedLine = (): object => {
  const active = context.active();
  const call = callIn(active);
  const traceId = call === undefined ? trace.getSpanContext(active)?.traceId : call.traceId;
  return traceId === undefined ? {} : { traceId };
};

/** Registers the SDK of OpenTelemetry, and makes spans of calls, of statements and of outgoing calls. */
export const startTracing = (instance: FastifyInstance, settings: TracingSettings): void => {
  const { endpoint, headers, service, keepPermille } = settings;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: SEND_MS_MAX,
  });
  const batches = new BatchSpanProcessor(withOutages(exporter), {
    scheduledDelayMillis: SEND_EVERY_MS,
    maxQueueSize: SPANS_MAX,
    exportTimeoutMillis: SEND_MS_MAX,
  });
  const charges = new ChargeTraces(batches, keepPermille);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'process.pid': process.pid }),
    // Samples every span here. `ChargeTraces` later decides which traces to keep, because only the charge decides.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [charges],
  });
  const unregister = register(provider);
  const tracer = provider.getTracer('lamppost');
  watchCalls(instance, tracer, charges);
  traceBy(tracesOf(tracer));
  const ends = [watchUndici(tracer), watchNodeHttp(tracer)];
  instance.addHook('onClose', async () => {
    traceBy(undefined);
    for (const end of ends) end();
    await provider.shutdown().catch(() => undefined); // If the collector can't be reached, the traces are lost.
    unregister();
  });
};

/** Registers the provider globally, so that `trace.getTracer(…)` of any module makes spans below ours. */
const register = (provider: BasicTracerProvider): (() => void) => {
  const isOurs = trace.setGlobalTracerProvider(provider);
  if (!isOurs) {
    const logger = new Logger('Tracing');
    logger.warn(
      'Another SDK of OpenTelemetry is registered: spans of modules go there, and not into the traces of calls.',
    );
  }
  const hasContext = context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return () => {
    if (isOurs) trace.disable();
    if (hasContext) context.disable();
  };
};

/** Logs the loss of the collector in one line, and its return in another line. */
const withOutages = (exporter: SpanExporter): SpanExporter => {
  const outage = new Outage('Sending traces', new Logger('Tracing'));
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error === undefined) outage.worked();
        else outage.failed(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
};

const watchCalls = (instance: FastifyInstance, tracer: Tracer, charges: ChargeTraces): void => {
  const calls = new RequestSlot<CallSpans>();
  const within = (call: CallSpans) => withCall(trace.setSpan(ROOT_CONTEXT, call.span), call);
  instance.addHook('onRequest', (request, _reply, done) => {
    const link = linkOf(request.headers['traceparent']);
    const span = tracer.startSpan(
      request.method,
      { kind: SpanKind.SERVER, ...(link && { links: [{ context: link }] }) },
      ROOT_CONTEXT,
    );
    const call = new CallSpans(span);
    calls.set(request, call);
    context.with(within(call), done);
  });
  // The async context may be lost while the body is read, so it is set again.
  instance.addHook('preHandler', (request, _reply, done) => {
    context.with(within(calls.get(request)!), done);
  });
  instance.addHook('onResponse', (request, reply, done) => {
    const call = calls.get(request);
    if (call === undefined) return done();
    describeAnswer(call, request, reply);
    const charge = reply.getHeader('x-charge-id');
    const isFirst = reply.getHeader('idempotent-replayed') === undefined;
    charges.end(call, typeof charge === 'string' ? charge : undefined, isFirst);
    context.with(within(call), done);
  });
};

/** Describes the answer by names, hosts and statuses, without addresses, values or texts of a caller. */
const describeAnswer = ({ span }: CallSpans, request: FastifyRequest, reply: FastifyReply): void => {
  const route = routeOf(request).url ?? 'none';
  span.updateName(`${request.method} ${route}`);
  span.setAttributes({
    'http.request.method': request.method,
    'http.route': route,
    'http.response.status_code': reply.statusCode,
    'lamppost.request_id': request.id,
    'lamppost.charge_state': String(reply.getHeader('x-charge-state') ?? ''),
  });
  if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
};

/** The name of a statement, as in the server's log. A span never contains the statement's text or values. */
const nameOf = (text: string): string =>
  /^\/\* ([\w-]{1,80}) \*\//.exec(text)?.[1] ?? (/^\w{1,12}/.exec(text)?.[0] ?? 'statement').toLowerCase();

const endingWith = async <T>(span: Span, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
};

const tracesOf = (tracer: Tracer): Traces => ({
  note: (facts) => {
    trace.getActiveSpan()?.setAttributes(facts as Attributes);
  },
  work: (what, chargeId, work) => {
    const remote = { ...spanIdsOf(chargeId), traceFlags: TraceFlags.SAMPLED, isRemote: true };
    const above = trace.setSpanContext(ROOT_CONTEXT, remote);
    return tracer.startActiveSpan(what, {}, above, (span) => endingWith(span, work));
  },
  statement: async (text, send) => {
    if (trace.getSpan(context.active()) === undefined) return send();
    const attributes = { 'db.system.name': 'postgresql' };
    return endingWith(tracer.startSpan(nameOf(text), { kind: SpanKind.CLIENT, attributes }), send);
  },
});
