import { type ArgumentsHost, Catch, Inject, NotFoundException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { SessionAccounts } from '#people/accounts/session-accounts';
import { NotFound } from '#kernel/app-error';
import { sendCompressed } from '#platform/http/answers/compressed';
import { ErrorFilter } from '#platform/http/answers/error-filter';
import { KnownRoutes } from '#platform/http/routes/known-routes';
import { NOT_FOUND } from './pages';
import { ReadyPages } from './ready-pages';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const API = /^\/(v1|mcp)(\/|$)/;

/** Sends a browser a page if nothing is at the address. Programs, and all calls of the API, get the usual error. */
@Catch(NotFoundException, NotFound)
export class PageNotFoundFilter extends ErrorFilter {
  constructor(
    private readonly known: KnownRoutes,
    @Inject(SETTINGS) settings: HttpSettings,
    private readonly ready: ReadyPages,
    private readonly sessions: SessionAccounts,
  ) {
    super(known, settings);
  }

  override catch(thrown: unknown, host: ArgumentsHost): void {
    // If the page can't be sent, such as without built pages, a browser also gets the JSON.
    this.respond(thrown, host).catch(() => this.sendError(thrown, host));
  }

  private async respond(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (!this.wantsPage(request)) return this.sendError(error, host);
    const body = await this.page(request, reply);
    void reply.status(404).send(body);
  }

  private async page(request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    const person = await this.sessions.personOf(request).catch(() => undefined);
    const { headers, content } = this.ready.of(NOT_FOUND, person !== undefined);
    return sendCompressed(request, reply, content, headers);
  }

  private wantsPage({ method, url, is404, headers }: FastifyRequest): boolean {
    const isPage = method === 'GET' && headers.accept?.includes('text/html') === true && !API.test(url);
    // If the address exists with another method, the status must be 405.
    return isPage && !(is404 && this.known.methodsAt(url).length > 0);
  }
}
