import { HttpException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { InvalidRequest } from '#kernel/app-error';
import { corsHeaders, isPreflight, preflightHeaders } from './answers/browser-headers';
import { HungUp } from './body/body.errors';
import type { FirstHook } from './first-hook';
import { addressOf } from './routes/route';

const ENCODED_CONTROL = /%(?:0[0-9a-f]|1[0-9a-f]|7f)/i;

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
