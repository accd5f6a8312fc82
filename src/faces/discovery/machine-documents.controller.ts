import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { PaidRoutes } from '#money/billing/calls/paid-routes';
import { routeExtensions } from '#money/billing/rails/x402/challenge/challenge-extensions';
import { NotFound } from '#kernel/app-error';
import { Clock } from '#kernel/clock';
import { PublishedKeys } from '#platform/config/published-keys';
import { SETTINGS } from '#platform/config/settings';
import { declarePageAccess } from '#platform/http/answers/browser-headers';
import type { HttpSettings } from '#platform/http/http.settings';
import { addressOf } from '#platform/http/routes/route';
import { PublicRoute } from '#platform/openapi/docs';
import { CurrentFacts } from './current-facts';
import { guideOf } from './guide';
import type { DiscoverySettings } from './discovery.settings';
import type { Section } from './guide-sections';
import { GUIDES } from './guides';
import { ICON_FILE, ICON_SVG } from './icon';
import { jwksOf } from './jwks';
import { llmsOf } from './llms';
import { skillOf } from './skill';
import { mcpEntryOf } from './mcp-entry';
import { manifestOf } from './manifest';
import { PublishedDocuments } from './published-documents';
import { PublishedGuides } from './published-guides';
import { securityTextOf } from './security-text';
import { InDocument } from '#platform/openapi/audience';

declarePageAccess({ open: ['/.well-known/', '/openapi.json'] });

/** The cache time of documents about models. It is short, because a disabled model must disappear from them soon. */
const MINUTE = 'public, max-age=60';
const HOUR = 'public, max-age=3600';
const DAY = 'public, max-age=86400';

/** Documents that programs read before they call, written from the values that the code enforces. */
@ApiTags('catalog')
@InDocument('crawlers')
@Controller()
export class MachineDocumentsController {
  private readonly manifestText: () => string;
  private readonly guideText: () => string;
  private readonly llmsText: () => string;
  private readonly skillText: () => string;

  constructor(
    private readonly documents: PublishedDocuments,
    private readonly guides: PublishedGuides,
    private readonly paid: PaidRoutes,
    private readonly clock: Clock,
    private readonly keys: PublishedKeys,
    @Inject(SETTINGS) private readonly settings: DiscoverySettings & HttpSettings,
    facts: CurrentFacts,
  ) {
    this.manifestText = facts.written((now) =>
      JSON.stringify(manifestOf(now, documents.hasExtensions, documents.soldByModules)),
    );
    this.guideText = facts.written((now) => guideOf(now, documents.soldByModules));
    this.llmsText = facts.written((now) => llmsOf(now, documents.soldByModules));
    this.skillText = facts.written((now) => skillOf(now, documents.soldByModules));
  }

  @Get('v1/agent/manifest.json')
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', MINUTE)
  @PublicRoute()
  @ApiOperation({ summary: 'Prices, promises and limits, for programs.', operationId: 'getManifest' })
  @ApiOkResponse({ schema: { type: 'object' } })
  manifest(): string {
    return this.manifestText();
  }

  @Get('v1/agent/guide.md')
  @Header('content-type', 'text/markdown; charset=utf-8')
  @Header('cache-control', MINUTE)
  @PublicRoute()
  @ApiOperation({ summary: 'The whole API in one page, with code.', operationId: 'getGuide' })
  @ApiOkResponse({ content: { 'text/markdown': { schema: { type: 'string' } } } })
  guide(): string {
    return this.guideText();
  }

  /** The sources of the pages at `/guides`, and the text for their search. */
  @Get(GUIDES.map(({ name }) => `guides/${name}.md`))
  @Header('content-type', 'text/markdown; charset=utf-8')
  @Header('cache-control', MINUTE)
  @ApiExcludeEndpoint()
  guidePage(@Req() request: FastifyRequest): string {
    return this.guides.text(addressOf(request).replace(/^\/guides\/|\.md$/g, ''));
  }

  @Get('guides/search.json')
  @Header('cache-control', MINUTE)
  @ApiExcludeEndpoint()
  guideSections(): readonly Section[] {
    return this.guides.sections();
  }

  @Get('llms.txt')
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', HOUR)
  @ApiExcludeEndpoint()
  llms(): string {
    return this.llmsText();
  }

  @Get('skill.md')
  @Header('content-type', 'text/markdown; charset=utf-8')
  @Header('cache-control', HOUR)
  @ApiExcludeEndpoint()
  skill(): string {
    return this.skillText();
  }

  /** The entry for registries of MCP servers. */
  @Get('server.json')
  @Header('cache-control', HOUR)
  @ApiExcludeEndpoint()
  mcpEntry(): object {
    return mcpEntryOf(this.settings.http.publicUrl);
  }

  /** RFC 9116. */
  @Get('.well-known/security.txt')
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', DAY)
  @ApiExcludeEndpoint()
  securityText(): string {
    const { securityContact, http } = this.settings;
    if (securityContact === undefined)
      throw new NotFound('This service names no contact for security reports.');
    return securityTextOf(securityContact, http.publicUrl, this.clock.now());
  }

  @Get('.well-known/x402')
  @Header('cache-control', HOUR)
  @ApiExcludeEndpoint()
  x402(): object {
    const { paidResources: resources } = this.documents;
    return {
      version: 1,
      resources,
      extensions: Object.fromEntries(resources.map((url) => [url, this.about(url)])),
    };
  }

  /** The whole description of a paid call. The header of its 402 has a short form. */
  private about(url: string): object {
    const route = this.paid.at(new URL(url).pathname);
    return route === undefined ? {} : routeExtensions(route.options).whole;
  }

  @Get('.well-known/jwks.json')
  @Header('cache-control', HOUR)
  @ApiExcludeEndpoint()
  jwks(): object {
    return jwksOf(this.keys);
  }

  @Get('favicon.svg')
  @Header('content-type', 'image/svg+xml')
  @Header('cache-control', DAY)
  @ApiExcludeEndpoint()
  svg(): string {
    return ICON_SVG;
  }

  @Get('favicon.ico')
  @Header('content-type', 'image/x-icon')
  @Header('cache-control', DAY)
  @ApiExcludeEndpoint()
  ico(): Buffer {
    return ICON_FILE;
  }
}
