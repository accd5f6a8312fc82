import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';

import './light-bind';
import { BodyReader, type ReadBody } from './body/body-reader';
import type { FileForms } from './body/file-form';
import { answerError, asRefusal, describeError } from './answers/error-filter';
import { parseForms } from './body/form-body';
import { parseJsonBody } from './body/json-body';
import { routeOptionsOf } from './routes/route';
import type { HttpSettings } from './http.settings';

const BODY_BYTES_MAX = 64 * 1024;
const HEADER_BYTES_MAX = 64 * 1024;

/** Gives our address for an address that stock clients derive from their base address. Other addresses stay as they are. */
type ClientAddress = (url: string) => string;

// All request ids of one process begin with the same random text. A counter makes each id unique, at almost no cost.
const boot = randomBytes(6).toString('base64url');
let requests = 0;
const nextRequestId = (): string => `req_${boot}${(requests += 1).toString(36)}`;

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

const answerAtOnce = (reply: FastifyReply, error: unknown, publicUrl: string): void => {
  void reply.header('x-request-id', reply.request.id);
  answerError(reply, error, publicUrl);
};

/** Input that is not valid HTTP never reaches a route. Its sender still gets an error in our envelope. */
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

class HttpAdapter extends FastifyAdapter {
  /** Without this change, Nest would treat refusals of the server as exceptions of a handler. */
  override setErrorHandler(
    handler: Parameters<FastifyAdapter['setErrorHandler']>[0],
  ): ReturnType<FastifyAdapter['setErrorHandler']> {
    return super.setErrorHandler(function refuse(error, request, reply) {
      return handler.call(this, asRefusal(error), request, reply) as unknown;
    });
  }

  /**
   * If a route has already answered itself, its answer is final. Fastify would log a second answer as an error with a
   * stack.
   */
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const [response] = args;
    return 'sent' in response && response.sent ? (response as never) : super.reply(...args);
  }
}

export const createAdapter = (settings: HttpSettings, addresses: readonly ClientAddress[]): FastifyAdapter =>
  new HttpAdapter(fastifyOptions(settings, addresses) as never);

const fastifyOptions = (
  settings: HttpSettings,
  addresses: readonly ClientAddress[],
): FastifyServerOptions & { http: object } => ({
  rewriteUrl: ({ url = '' }) => addresses.reduce((own, ownOf) => ownOf(own), url),
  bodyLimit: BODY_BYTES_MAX,
  // This must be a list of proxies. With a hop count or `true`, the service would believe an address that the caller
  // invents.
  trustProxy: settings.http.trustedProxies.length > 0 ? [...settings.http.trustedProxies] : false,
  requestTimeout: 120_000,
  // A connection without traffic for this long is dead, or its client does not read. A text may take 900 seconds.
  connectionTimeout: Math.max(960, settings.http.syncSeconds + 60) * 1_000,
  keepAliveTimeout: 72_000,
  // This limit also applies to the drain. A drain that exceeds it makes the close fail, together with the steps after
  // it.
  pluginTimeout: 30_000,
  http: {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: 10_000,
    // By default Node checks for late senders only every 30 seconds, so a timeout of 10 seconds could take up to 40.
    connectionsCheckingInterval: 1_000,
    // Node's own refusal has no body. `refuseOddHttp` refuses such a request in our envelope.
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

/** Replaces the framework's own parsers, because only `BodyReader` may read bodies: it applies the limits. */
export const parseBodies = (instance: FastifyInstance, reader: BodyReader, files: FileForms): void => {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser(
    'application/json',
    (request: FastifyRequest, payload: Readable, done: (error: Error | null, body?: unknown) => void) => {
      const taken = ({ bytes, guarded }: ReadBody): void => {
        let body: unknown = {};
        try {
          if (routeOptionsOf(request).raw !== true) body = parseJsonBody(bytes, guarded);
        } catch (error) {
          done(error as Error);
          return;
        }
        done(null, body);
      };
      reader.take(request, payload, taken, done);
    },
  );
  parseForms(instance, reader, files);
};

/** Ignores expectations other than 100-continue, which HTTP permits. Node would refuse them with an empty answer. */
export const ignoreExpectations = (instance: FastifyInstance): void => {
  instance.server.on('checkExpectation', (request, response) => {
    instance.server.emit('request', request, response);
  });
};
