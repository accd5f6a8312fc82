import { createMcpHandler } from '@modelcontextprotocol/server';
import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { InvalidRequest } from '#kernel/app-error';
import { declarePageAccess } from '#platform/http/answers/browser-headers';
import { HttpRoute } from '#platform/http/routes/route';
import { McpAccessGuard } from './mcp-access.guard';
import { McpServerFactory } from './mcp-server';
import { OwnHostGuard } from './own-host.guard';
import { MESSAGE_BYTES_MAX, MESSAGE_KEPT_BYTES_MAX } from './mcp-limits';

declarePageAccess({ open: ['/mcp'], headers: ['mcp-protocol-version', 'mcp-session-id'] });

/** The Model Context Protocol over Streamable HTTP, without sessions: each POST has its own server. */
@ApiExcludeController()
@Controller('mcp')
@UseGuards(OwnHostGuard, McpAccessGuard)
export class McpController {
  constructor(private readonly servers: McpServerFactory) {}

  @Post()
  @HttpCode(200)
  // Messages have a separate count. A tool's call counts only once, at the route that it calls.
  @HttpRoute({
    limit: 'free',
    limitedAs: 'mcp|',
    admission: 'tools',
    bodyBytesMax: MESSAGE_BYTES_MAX,
    uploads: {},
    keptBytesMax: MESSAGE_KEPT_BYTES_MAX,
    generates: true,
  })
  async message(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (Array.isArray(request.body)) {
      throw new InvalidRequest('Send one JSON-RPC message at a time.');
    }
    const leaving = new AbortController();
    const server = this.servers.serverFor(request);
    const handler = createMcpHandler(() => server, { maxSubscriptions: 0 });
    reply.raw.once('close', () => {
      leaving.abort();
      // The caller has disconnected, so a failure to close does no harm.
      for (const one of [handler, server]) one.close().catch(() => undefined);
    });
    const answer = await handler.fetch(asWebRequest(request, leaving.signal), { parsedBody: request.body });
    await reply.send(answer);
  }
}

const asWebRequest = ({ url, method, headers }: FastifyRequest, signal: AbortSignal): Request =>
  new Request(`http://mcp${url}`, {
    method,
    signal,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  });
