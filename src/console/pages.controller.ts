import { Controller, Get, Header, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { accountLinks } from '../accounts/account-links';
import { SessionAccounts } from '../accounts/session-accounts';
import { GUIDES } from '../discovery/guides';
import { PublishedGuides } from '../discovery/published-guides';
import { AppError, NotFound } from '../kernel/app-error';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { HttpRoute, addressOf } from '../platform/http/routes/route';
import { isSandboxOn } from '../providers/vendors';
import { ClientFiles, Compressed, encodingFor } from './client-files';
import { guideHtml, guidesHtml } from './guide-html';
import { type PageHtml, htmlOf } from './page-html';
import { ADMIN, GUIDE_INDEX, GUIDE_PAGES, PAGES, type Page } from './pages';

const ALL: readonly Page[] = [...PAGES, GUIDE_INDEX, ...GUIDE_PAGES];

const YEAR_SECONDS = 31_536_000;

class PagesNotBuilt extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor() {
    super('The pages of this service were not built. Run npm run build, then start it again.');
  }
}

type Ready = Omit<PageHtml, 'html'> & {
  readonly content: Compressed;
  /** The sources of its words, at their places. */
  readonly text: string | undefined;
};

const sandboxParts = (settings: Settings): readonly string[] => [
  ...(isSandboxOn(settings) ? ['models'] : []),
  ...(settings.x402.facilitator === 'sandbox' ? ['x402'] : []),
  ...(settings.billing.processor === 'sandbox' ? ['cards'] : []),
];

/** The content in the frame of the index of guides; other pages request theirs. */
const indexOf = (page: Page): string | undefined =>
  page === GUIDE_INDEX ? guidesHtml(page.title, page.about) : undefined;

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Serves the pages and their files. Pages request their content from the API. */
@ApiExcludeController()
@Controller()
export class PagesController {
  private files = ClientFiles.read();
  private readonly ready = new Map<string, Ready>();

  constructor(
    private readonly sessions: SessionAccounts,
    private readonly guides: PublishedGuides,
    @Inject(SETTINGS) private readonly settings: Settings,
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
    const { headers, content } = this.prepared(page, signedIn);
    return this.answer(request, reply, content, headers);
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
    const file = this.files?.find(name);
    if (file === undefined) {
      throw new NotFound('There is no such file.');
    }
    return this.answer(request, reply, file.content, {
      'content-type': file.type,
      'cache-control':
        version === this.files?.version ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
    });
  }

  private async answer(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    content: Compressed,
    more: Readonly<Record<string, string>>,
  ): Promise<Buffer> {
    const encoding = encodingFor(headers['accept-encoding']);
    void reply.headers({ ...more, vary: 'accept-encoding' });
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    return content.as(encoding);
  }

  private pageAt(path: string): Page {
    const page = ALL.find((candidate) => candidate.path === path);
    if (page === undefined || (page === ADMIN && this.settings.admins.length === 0)) {
      throw new NotFound('There is nothing at this address.');
    }
    return page;
  }

  /** A closed account sees the public page, and so does everybody while the database is away. */
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

  private prepared(page: Page, signedIn: boolean): Ready {
    if (this.settings.mode === 'development') this.readAnew();
    if (this.files === undefined) {
      throw new PagesNotBuilt();
    }
    const key = `${page.path} ${signedIn}`;
    const guide = GUIDES.find(({ name }) => page.path === `/guides/${name}`);
    const text = guide && this.guides.text(guide.name);
    const known = this.ready.get(key);
    if (known !== undefined && known.text === text) return known;
    const facts = {
      publicUrl: this.settings.http.publicUrl,
      sandbox: sandboxParts(this.settings),
      signedIn,
    };
    const content = guide === undefined ? indexOf(page) : guideHtml(guide, text!);
    const { html, headers } = htmlOf(page, this.files, facts, content);
    const made = { headers, content: new Compressed(Buffer.from(html)), text };
    this.ready.set(key, made);
    return made;
  }

  /** During development, the newest build counts. */
  private readAnew(): void {
    const files = ClientFiles.read();
    if (files?.version !== this.files?.version) {
      this.files = files;
      this.ready.clear();
    }
  }

  /**
   * This machine has several names, and a session is valid for one of them. A visitor under another name than that of
   * PUBLIC_URL is redirected there, instead of being refused at the first click.
   */
  private otherName({ headers, url }: FastifyRequest): string | undefined {
    const own = new URL(this.settings.http.publicUrl);
    const { host = own.host } = headers;
    const isSameMachine = LOOPBACK.test(host) && LOOPBACK.test(own.host) && host.endsWith(`:${own.port}`);
    return isSameMachine && host !== own.host ? `${own.origin}${url}` : undefined;
  }
}
