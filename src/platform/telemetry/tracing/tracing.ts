import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Client } from 'pg';

import type { Settings } from '../../config/settings';
import { routeOf } from '../../http/routes/route';
import { traceBy } from '../traces';
import { OtlpExporter } from './otlp-exporter';
import { SpanKind, Trace, linkOf, nowNanos } from './trace';

type TracingSettings = NonNullable<Settings['tracing']>;

interface Running {
  readonly trace: Trace;
  readonly requestId?: string;
}

const current = new AsyncLocalStorage<Running>();

/** What each line of the log says of the trace that it belongs to. */
export const tracedLine = (): object => {
  const { trace, requestId } = current.getStore() ?? {};
  return trace?.id === undefined ? (requestId === undefined ? {} : { requestId }) : { traceId: trace.id };
};

/** Watches calls, statements and calls to the outside from beside: none of them knows of it, and none waits for it. */
export const startTracing = (instance: FastifyInstance, settings: TracingSettings): void => {
  const exporter = new OtlpExporter(settings);
  watchCalls(instance, exporter);
  const ends = [watchStatements(), watchUndici(), watchNodeHttp()];
  traceBy((what, chargeId, work) => {
    const trace = new Trace(exporter.add);
    trace.belongsTo(chargeId, false);
    return current.run({ trace }, async () => {
      let failed = true;
      try {
        const result = await work();
        failed = false;
        return result;
      } finally {
        trace.end({ name: what, kind: SpanKind.internal, failed, about: {} });
      }
    });
  });
  instance.addHook('onClose', async () => {
    traceBy(undefined);
    for (const end of ends) end();
    await exporter.close();
  });
};

const watchCalls = (instance: FastifyInstance, exporter: OtlpExporter): void => {
  const calls = new WeakMap<FastifyRequest, Running>();
  instance.addHook('onRequest', (request, _reply, done) => {
    const running = { trace: new Trace(exporter.add), requestId: request.id };
    calls.set(request, running);
    current.run(running, done);
  });
  // Reading a body may have left the context behind.
  instance.addHook('preHandler', (request, _reply, done) => {
    current.run(calls.get(request)!, done);
  });
  instance.addHook('onResponse', (request, reply, done) => {
    const running = calls.get(request);
    if (running === undefined) return done();
    const { trace } = running;
    const charge = reply.getHeader('x-charge-id');
    trace.belongsTo(
      typeof charge === 'string' ? charge : undefined,
      reply.getHeader('idempotent-replayed') === undefined,
    );
    const route = routeOf(request).url ?? 'none';
    trace.end(
      {
        name: `${request.method} ${route}`,
        kind: SpanKind.server,
        failed: reply.statusCode >= 500,
        about: {
          'http.request.method': request.method,
          'http.route': route,
          'http.response.status_code': reply.statusCode,
          'lamppost.request_id': request.id,
          'lamppost.charge_state': String(reply.getHeader('x-charge-state') ?? ''),
        },
      },
      linkOf(request.headers['traceparent']),
    );
    current.run(running, done);
  });
};

/** Named as the log of the server names them. Their text and their values stay where they are. */
const nameOf = (query: unknown): string => {
  const said: unknown = typeof query === 'string' ? query : Reflect.get(Object(query) as object, 'text');
  const text = typeof said === 'string' ? said : '';
  return (
    /^\/\* ([\w-]{1,80}) \*\//.exec(text)?.[1] ?? (/^\w{1,12}/.exec(text)?.[0] ?? 'statement').toLowerCase()
  );
};

const watchStatements = (): (() => void) => {
  const prototype = Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function traced(this: unknown, ...args) {
    const running = current.getStore();
    if (running === undefined) return query.apply(this, args);
    const began = nowNanos();
    const over = (failed: boolean): void =>
      running.trace.add({
        name: nameOf(args[0]),
        kind: SpanKind.client,
        began,
        ended: nowNanos(),
        failed,
        about: { 'db.system.name': 'postgresql' },
      });
    const last = args.at(-1);
    if (typeof last === 'function') {
      const told = (error: unknown, ...rest: unknown[]): void => {
        over(error !== null && error !== undefined);
        (last as (...all: unknown[]) => void)(error, ...rest);
      };
      return query.apply(this, [...args.slice(0, -1), told]);
    }
    const result = query.apply(this, args);
    if (result instanceof Promise)
      result.then(
        () => over(false),
        () => over(true),
      );
    return result;
  };
  return () => {
    prototype.query = query;
  };
};

/** What one call to the outside needs to be told of, until it ends. */
interface Asked {
  readonly running: Running;
  readonly began: bigint;
  readonly name: string;
  readonly host: string;
}

class Outside {
  private readonly asked = new WeakMap<object, Asked>();

  begin(request: object, method: string, host: string): void {
    const running = current.getStore();
    if (running !== undefined)
      this.asked.set(request, { running, began: nowNanos(), name: `${method} ${host}`, host });
  }

  end(request: object, status: number | undefined): void {
    const asked = this.asked.get(request);
    if (asked === undefined) return;
    this.asked.delete(request);
    asked.running.trace.add({
      name: asked.name,
      kind: SpanKind.client,
      began: asked.began,
      ended: nowNanos(),
      failed: status === undefined || status >= 500,
      // Neither path nor query: both may hold ids that are permissions, and words of callers.
      about: { 'server.address': asked.host, 'http.response.status_code': status },
    });
  }
}

type Told = Parameters<typeof subscribe>[1];

const subscribed = (listeners: Readonly<Record<string, Told>>): (() => void) => {
  for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener);
  };
};

interface UndiciRequest {
  readonly method: string;
  readonly origin: string | URL;
}

const watchUndici = (): (() => void) => {
  const outside = new Outside();
  const of = (message: unknown) =>
    message as { readonly request: UndiciRequest; readonly response?: { readonly statusCode: number } };
  return subscribed({
    'undici:request:create': (message) => {
      const { method, origin } = of(message).request;
      outside.begin(of(message).request, method, new URL(origin).host);
    },
    'undici:request:headers': (message) => outside.end(of(message).request, of(message).response?.statusCode),
    'undici:request:error': (message) => outside.end(of(message).request, undefined),
  });
};

const watchNodeHttp = (): (() => void) => {
  const outside = new Outside();
  const of = (message: unknown) =>
    message as { readonly request: ClientRequest; readonly response?: IncomingMessage };
  return subscribed({
    'http.client.request.start': (message) => {
      const { request } = of(message);
      outside.begin(request, request.method, request.host);
    },
    'http.client.response.finish': (message) =>
      outside.end(of(message).request, of(message).response?.statusCode),
    'http.client.request.error': (message) => outside.end(of(message).request, undefined),
  });
};
