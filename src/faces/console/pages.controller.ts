import { Controller, Get, Header, Inject, Param, Redirect, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { accountLinks } from '#people/accounts/account-links';
import { SessionAccounts } from '#people/accounts/session-accounts';
import { PublishedDocuments } from '#faces/discovery/published-documents';
import { AppError, NotFound } from '#kernel/app-error';
import { isLoopback } from '#kernel/loopback';
import { Compressed, sendCompressed } from '#platform/http/answers/compressed';
import { HttpRoute, addressOf } from '#platform/http/routes/route';
import { ADMIN, GUIDE_INDEX, GUIDE_PAGES, PAGES, type Page } from './pages';
import { playgroundParameters } from './playground-parameters';
import { ReadyPages } from './ready-pages';
import { SETTINGS } from '#platform/config/settings';
import type { AdminSettings } from '#people/identity/admins.settings';
import type { HttpSettings } from '#platform/http/http.settings';

const ALL: readonly Page[] = [...PAGES, GUIDE_INDEX, ...GUIDE_PAGES];

const YEAR_SECONDS = 31_536_000;

/** Serves the pages and their files. Pages request their content from the API. */
@ApiExcludeController()
@Controller()
export class PagesController {
  private parametersText?: Compressed;

  constructor(
    private readonly documents: PublishedDocuments,
    private readonly sessions: SessionAccounts,
    private readonly ready: ReadyPages,
    @Inject(SETTINGS) private readonly settings: AdminSettings & HttpSettings,
  ) {}

  @Get(ALL.map(({ path }) => path))
  async page(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    const page = this.pageAt(addressOf(request));
    const signedIn = await this.isSignedIn(request);
    const elsewhere =
      this.otherName(request) ?? (page.isPrivate && !signedIn ? this.signIn(request) : undefined);
    if (elsewhere !== undefined) {
      void reply.status(302).header('location', elsewhere).header('cache-control', 'no-store');
      return undefined;
    }
    const { headers, content } = this.ready.of(page, signedIn);
    return sendCompressed(request, reply, content, headers);
  }

  /** Many visitors try this address for the prices, which the page of models has. */
  @Get('pricing')
  @Redirect()
  pricing(@Req() { url }: FastifyRequest): { readonly url: string } {
    // The address is relative, because a proxy may serve the pages below a path.
    return { url: /^[^?]*\/(?:\?|$)/.test(url) ? '../models' : 'models' };
  }

  @Get('assets/:version/*')
  @HttpRoute({ limit: 'none' })
  @Header('x-robots-tag', 'noindex')
  async asset(
    @Param('version') version: string,
    @Param('*') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const file = this.ready.file(name);
    if (file === undefined) {
      throw new NotFound('There is no such file.');
    }
    return sendCompressed(request, reply, file.content, {
      'content-type': file.type,
      'cache-control':
        version === this.ready.version ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
    });
  }

  /** The fields of the playground's calls, from the published document. */
  @Get('playground/parameters.json')
  async parameters(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    this.parametersText ??= new Compressed(
      Buffer.from(JSON.stringify(playgroundParameters(this.documents.agent))),
    );
    return sendCompressed(request, reply, this.parametersText, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=60',
    });
  }

  private pageAt(path: string): Page {
    const page = ALL.find((candidate) => candidate.path === path);
    if (page === undefined || (page === ADMIN && this.settings.admins.length === 0)) {
      throw new NotFound('There is nothing at this address.');
    }
    return page;
  }

  /**
   * Whether to show the page of a signed-in person. A person with a closed account gets the public page. While the
   * database is unavailable, everybody gets it.
   */
  private async isSignedIn(request: FastifyRequest): Promise<boolean> {
    try {
      return (await this.sessions.personOf(request)) !== undefined;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  private signIn({ url }: FastifyRequest): string {
    const { pathname } = new URL(accountLinks(this.settings.http.publicUrl).signIn);
    return `${pathname}?next=${encodeURIComponent(url.slice(1))}`;
  }

  /**
   * A developer's machine has several names, and a session is valid for only one of them. If a visitor used another
   * name than PUBLIC_URL, this method returns the address to redirect to. Without the redirect, the service would
   * refuse their first click.
   */
  private otherName({ headers, url }: FastifyRequest): string | undefined {
    const own = new URL(this.settings.http.publicUrl);
    const { host = own.host } = headers;
    const isSameMachine =
      isLoopback(`http://${host}`) && isLoopback(own.origin) && host.endsWith(`:${own.port}`);
    return isSameMachine && host !== own.host ? `${own.origin}${url}` : undefined;
  }
}
