import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

import { Logger } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';

import { InvalidRequest } from '../../kernel/app-error';
import type { Settings } from '../config/settings';
import { BodyReader, type ReadBody } from './body/body-reader';
import {
  DOCS_POLICY,
  corsHeaders,
  isPreflight,
  preflightHeaders,
  securityHeaders,
} from './answers/browser-headers';
import { ErrorFilter, answerError, describeError } from './answers/error-filter';
import { parseForms } from './body/form-body';
import { HttpHooks } from './hooks';
import { parseJsonBody } from './body/json-body';
import { KnownRoutes } from './routes/known-routes';
import { addressOf, wishesOf } from './routes/route';
import { BodyPipe } from './routes/validation';

const BODY_BYTES_MAX = 64 * 1024;
const HEADER_BYTES_MAX = 64 * 1024;

// Ids of one process share a random half; the counter makes each its own, at no cost per request.
const boot = randomBytes(6).toString('base64url');
let requests = 0;
const nextRequestId = (): string => `req_${boot}${(requests += 1).toString(36)}`;

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

const ENCODED_CONTROL = /%(?:0[0-9a-f]|1[0-9a-f]|7f)/i;

const answerAtOnce = (reply: FastifyReply, error: unknown, publicUrl: string): void => {
  void reply.header('x-request-id', reply.request.id);
  answerError(reply, error, publicUrl);
};

/** What isn't HTTP at all never reaches a route, but its sender still gets the one envelope. */
const brokenHttpAnswerer =
  (publicUrl: string) =>
  (error: { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const statuses: Readonly<Record<string, number>> = {
      HPE_HEADER_OVERFLOW: 431,
      ERR_HTTP_REQUEST_TIMEOUT: 408,
    };
    const statusCode = statuses[error.code ?? ''] ?? 400;
    const requestId = nextRequestId();
    const { headers, body } = describeError({ statusCode }, { requestId, publicUrl });
    const text = JSON.stringify(body);
    const lines = Object.entries({
      ...headers,
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${statusCode} ${STATUS_TEXTS[statusCode]}\r\n${lines.join('')}\r\n${text}`);
  };

/** What a route has sent by itself is not answered once more: Fastify would make an error of it, with a stack. */
class HttpAdapter extends FastifyAdapter {
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const [response] = args;
    return 'sent' in response && response.sent ? (response as never) : super.reply(...args);
  }
}

export const createAdapter = (settings: Settings): FastifyAdapter =>
  new HttpAdapter(fastifyOptions(settings) as never);

const fastifyOptions = (settings: Settings): FastifyServerOptions & { http: object } => ({
  bodyLimit: BODY_BYTES_MAX,
  // A list, never a hop count or `true`: both believe addresses that the caller wrote.
  trustProxy: settings.http.trustedProxies.length > 0 ? [...settings.http.trustedProxies] : false,
  requestTimeout: 120_000,
  // A connection on which nothing moves for so long is dead, or its other end reads nothing.
  connectionTimeout: Math.max(300, settings.media.syncSeconds + 60) * 1_000,
  keepAliveTimeout: 72_000,
  // A drain counts as a plugin that is starting. One that takes longer than this fails the close, and what comes after it.
  pluginTimeout: 30_000,
  http: {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: 10_000,
    // Node looks for late senders every 30 seconds only; a timeout of ten would be one of up to forty.
    connectionsCheckingInterval: 1_000,
    // Node's own refusal has no body; ours, in `addHeaders`, has the envelope.
    requireHostHeader: false,
  },
  routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
  genReqId: nextRequestId,
  // A call that arrives while we shut down is still served; only new connections are refused.
  return503OnClosing: false,
  clientErrorHandler: brokenHttpAnswerer(settings.http.publicUrl),
  frameworkErrors: (error, _request, reply) =>
    answerAtOnce(reply as unknown as FastifyReply, error, settings.http.publicUrl),
});

/**
 * Everything below the routes that holds for all of them: parsing, headers, the filter and the validating pipe.
 * `credentials` are the headers by which callers prove who they are.
 */
export const prepareHttp = (
  app: NestFastifyApplication,
  settings: Settings,
  credentials: readonly string[],
): void => {
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const routes = new KnownRoutes();
  routes.watch(instance);
  const hooks = app.get(HttpHooks);
  hooks.install(instance);
  const reader = app.get(BodyReader);
  hooks.after('body room', (request) => reader.release(request));
  parseBodies(instance, hooks, reader);
  parseForms(instance, reader);
  addHeaders(hooks, settings);
  refuseOddHttp(hooks, credentials);
  ignoreExpectations(instance);
  app.useGlobalFilters(new ErrorFilter(routes, settings.http.publicUrl));
  app.useGlobalPipes(new BodyPipe());
};

const parseBodies = (instance: FastifyInstance, hooks: HttpHooks, reader: BodyReader): void => {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser(
    'application/json',
    (request: FastifyRequest, payload: Readable, done: (error: Error | null, body?: unknown) => void) => {
      const taken = ({ bytes, guarded }: ReadBody): void => {
        let body: unknown = {};
        try {
          if (wishesOf(request).raw !== true) body = parseJsonBody(bytes, guarded);
        } catch (error) {
          done(error as Error);
          return;
        }
        done(null, body);
      };
      reader.take(request, payload, taken, done);
    },
  );
  // Fastify matches the type's beginning; a charset other than UTF-8 would be read as garbage.
  hooks.beforeParsing('content type', (request, _reply, payload) => {
    const type = request.headers['content-type'];
    if (
      type !== undefined &&
      type.length > 16 &&
      /charset/i.test(type) &&
      !/charset\s*=\s*"?utf-?8"?\s*(;|$)/i.test(type)
    ) {
      throw Object.assign(new Error('charset'), { statusCode: 415 });
    }
    return payload;
  });
};

const addHeaders = (hooks: HttpHooks, settings: Settings): void => {
  const secure = securityHeaders(settings.http.publicUrl.startsWith('https:'));
  const warn = warnerOfForwarding();
  hooks.before('headers', (request, reply) => {
    // Not on the raw reply: Node merges headers from two sources in a way that costs more than all of them together.
    void reply.header('x-request-id', request.id).headers(secure);
    const address = addressOf(request);
    if (wishesOf(request).charges === true) void reply.header('x-charge-state', 'none');
    if (address.startsWith('/docs')) void reply.header('content-security-policy', DOCS_POLICY);
    const cors = corsHeaders(address);
    if (cors !== undefined) void reply.headers(cors);
    warn(request);
    return undefined;
  });
};

const refuseOddHttp = (hooks: HttpHooks, credentials: readonly string[]): void => {
  const preflight = preflightHeaders(credentials);
  hooks.before('plain http', (request, reply) => {
    if (isPreflight(request) && corsHeaders(addressOf(request)) !== undefined) {
      void reply.status(204).headers(preflight).send();
      return 'answered';
    }
    const { headers } = request;
    if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined) {
      delete headers['content-type']; // A body that isn't there has no type, whatever its client writes.
    }
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new InvalidRequest('The request has no Host header.');
    }
    if (request.url.includes('%') && ENCODED_CONTROL.test(request.url)) {
      throw new InvalidRequest('The address holds control characters.');
    }
    return undefined;
  });
};

/** An expectation other than 100-continue may be ignored; Node would refuse it with an empty answer. */
const ignoreExpectations = (instance: FastifyInstance): void => {
  instance.server.on('checkExpectation', (request, response) => {
    instance.server.emit('request', request, response);
  });
};

/** A proxy that nobody told us to trust makes all callers look like one; say so once, or limits will puzzle people. */
const warnerOfForwarding = (): ((request: FastifyRequest) => void) => {
  const logger = new Logger('TrustedProxies');
  let warned = false;
  return (request) => {
    // With a peer that is trusted, `ips` holds more than the peer itself.
    if (!warned && request.headers['x-forwarded-for'] && (request.ips?.length ?? 1) === 1) {
      warned = true;
      logger.warn(
        `X-Forwarded-For from ${request.socket.remoteAddress ?? 'a peer'} is ignored: set TRUSTED_PROXIES to the ` +
          'addresses of your own proxies, or limits will count the proxy as one caller.',
      );
    }
  };
};
