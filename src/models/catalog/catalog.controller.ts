import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { PublicRoute } from '#platform/openapi/docs';
import { Catalog } from './catalog';
import { ModelsAnswer } from './catalog.dto';
import { LiveCosts } from './live-costs';
import { publicAudio, publicMedia, publicText } from './public-models';
import { InDocument } from '#platform/openapi/audience';
import { SETTINGS } from '#platform/config/settings';
import type { PriceSettings } from './prices.settings';

const JSON_TYPE = 'application/json; charset=utf-8';

const jsonBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Serialises its answers once, not for each call, because only live costs and operators change them at run time. */
@ApiTags('catalog')
@Controller('v1')
export class CatalogController {
  private lists: { readonly revision: string; readonly agent: Buffer };

  constructor(
    private readonly catalog: Catalog,
    private readonly liveCosts: LiveCosts,
    @Inject(SETTINGS) private readonly settings: PriceSettings,
  ) {
    this.lists = this.written();
  }

  @Get('agent/models')
  @InDocument('crawlers')
  @Header('content-type', JSON_TYPE)
  @PublicRoute()
  @ApiOperation({ summary: 'All models with their inputs and prices.', operationId: 'listModels' })
  @ApiOkResponse({ type: ModelsAnswer })
  models(): Buffer {
    return this.current().agent;
  }

  private current(): CatalogController['lists'] {
    if (this.lists.revision !== this.revision) this.lists = this.written();
    return this.lists;
  }

  private get revision(): string {
    return `${this.catalog.revision} ${this.liveCosts.revision}`;
  }

  private written(): CatalogController['lists'] {
    const { price } = this.settings;
    const { shownMedia, text, shownAudio } = this.catalog;
    const agent = jsonBytes({
      models: shownMedia.map((model) => publicMedia(model, price, this.liveCosts.of(model).costs)),
      textModels: [...text.values()].map((model) => publicText(model, price)),
      audioModels: shownAudio.map((model) => publicAudio(model, price)),
    });
    return { revision: this.revision, agent };
  }
}
