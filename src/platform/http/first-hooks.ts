import { HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { InvalidRequest } from '#kernel/app-error';
import type { MaybePromise } from '#kernel/maybe-promise';
import { corsHeaders, isPreflight, preflightHeaders, securityHeaders } from './answers/browser-headers';
import { HungUp } from './body/body.errors';
import { addressOf, routeOptionsOf } from './routes/route';
import type { HttpSettings } from './http.settings';

/**
 * A hook before the body is read. It may answer the request itself. If it throws an error, that error is the answer.
 */
export type FirstHook = (request: FastifyRequest, reply: FastifyReply) => MaybePromise<void>;

const ENCODED_CONTROL = /%(?:0[0-9a-f]|1[0-9a-f]|7f)/i;

/** The headers of every answer, including refusals. */
export const addHeaders = (settings: HttpSettings): FirstHook => {
  const secure = securityHeaders(settings.http.publicUrl.startsWith('https:'));
  const warn = warnerOfForwarding();
  return (request, reply) => {
    // These headers are not set on the raw reply. Node would then merge headers of two sources, which costs more than
    // all these headers together.
    void reply.header('x-request-id', request.id).headers(secure);
    const address = addressOf(request);
    const { headers } = routeOptionsOf(request);
    if (headers !== undefined) void reply.headers(headers);
    const cors = corsHeaders(address);
    if (cors !== undefined) void reply.headers(cors);
    warn(request);
  };
};

/**
 * Refuses a request whose connection ended before its first hook. Such a connection has no address any more, and all
 * limits need it. An address that was read once stays known.
 */
export const refuseHungUp = ({ socket }: FastifyRequest): void => {
  if (socket.remoteAddress === undefined) throw new HungUp();
};

/** Answers preflights, and refuses requests that must not reach a route. */
export const refuseOddHttp = (credentials: readonly string[]): FirstHook => {
  const preflight = preflightHeaders(credentials);
  return (request, reply) => {
    if (isPreflight(request) && corsHeaders(addressOf(request)) !== undefined) {
      void reply.status(204).headers(preflight).send();
      return;
    }
    const { headers } = request;
    if (headers.upgrade?.toLowerCase() === 'websocket')
      throw new HttpException('There is no websocket here: send the same call over HTTP.', 426);
    if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined) {
      // A client may send a content type without a body. Such a type must not select a parser.
      delete headers['content-type'];
    }
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new InvalidRequest('The request has no Host header.');
    }
    if (request.url.includes('%') && ENCODED_CONTROL.test(request.url)) {
      throw new InvalidRequest('The address holds control characters.');
    }
  };
};

/**
 * Refuses other charsets than UTF-8. Fastify compares only the beginning of a content type, so such a body would be
 * misread.
 */
export const refuseOtherCharsets = ({ headers }: FastifyRequest): void => {
  const type = headers['content-type'];
  if (
    type !== undefined &&
    type.length > 16 &&
    /charset/i.test(type) &&
    !/charset\s*=\s*"?utf-?8"?\s*(;|$)/i.test(type)
  ) {
    throw Object.assign(new Error('charset'), { statusCode: 415 });
  }
};

/** Warns once if a proxy is not in TRUSTED_PROXIES, because all its callers then count as one address. */
const warnerOfForwarding = (): ((request: FastifyRequest) => void) => {
  const logger = new Logger('TrustedProxies');
  let warned = false;
  return (request) => {
    // If the peer is a trusted proxy, `ips` contains further addresses.
    if (!warned && request.headers['x-forwarded-for'] && (request.ips?.length ?? 1) === 1) {
      warned = true;
      logger.warn(
        `X-Forwarded-For from ${request.socket.remoteAddress ?? 'a peer'} is ignored: set TRUSTED_PROXIES to the ` +
          'addresses of your own proxies, or limits will count the proxy as one caller.',
      );
    }
  };
};
