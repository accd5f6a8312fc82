import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { ifPresent, withoutAbsent } from '#kernel/present';
import { INNER_HEADER, onBehalfOf } from '#platform/http/inner-calls';

export interface RestCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Headers that describe the outer message instead of its sender, so the inner call must not have them. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'last-event-id',
  'prefer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headersOf = (request: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name, value]) => value !== undefined && !NOT_PASSED_ON.has(name) && !name.startsWith('mcp-'))
      .map(([name, value]) => [name, String(value)]),
  );

/**
 * Calls our own routes for an MCP caller, with the caller's address and credentials. So all rules of the routes
 * (regions, limits, prices, idempotency) apply to tools as well.
 */
@Injectable()
export class InProcess {
  constructor(private readonly host: HttpAdapterHost) {}

  async call(from: FastifyRequest, { method, url, body, headers = {} }: RestCall): Promise<RestAnswer> {
    const instance = this.host.httpAdapter.getInstance() as FastifyInstance;
    const response = await onBehalfOf(from, (name) =>
      instance.inject({
        method,
        url,
        remoteAddress: from.socket.remoteAddress,
        headers: withoutAbsent({
          ...headersOf(from),
          'content-type': body && 'application/json',
          ...headers,
          [INNER_HEADER]: name,
        }),
        payload: ifPresent(body, JSON.stringify),
      }),
    );
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      bytes: response.rawPayload,
    };
  }
}
