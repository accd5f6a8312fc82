import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { SETTINGS, type Settings } from '../platform/config/settings';
import { PublicRoute } from '../platform/openapi/docs';
import { Catalog, publicMedia, publicText } from './catalog';
import { ModelListAnswer, ModelsAnswer } from './catalog.dto';
import { LiveCosts } from './live-costs';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Its answers are written once, not for each call: only live costs may change them while the process runs. */
@ApiTags('catalog')
@Controller('v1')
export class CatalogController {
  private agentModels: { readonly revision: number; readonly text: string };
  private readonly modelList: string;

  constructor(
    private readonly catalog: Catalog,
    private readonly liveCosts: LiveCosts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.agentModels = this.written();
    this.modelList = JSON.stringify({
      object: 'list',
      data: [...catalog.text.keys(), ...catalog.media.keys()].map((id) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'lamppost',
      })),
    });
  }

  @Get('agent/models')
  @Header('content-type', JSON_TYPE)
  @PublicRoute()
  @ApiOperation({ summary: 'All models with what they take and what they cost.', operationId: 'listModels' })
  @ApiOkResponse({ type: ModelsAnswer })
  models(): string {
    if (this.agentModels.revision !== this.liveCosts.revision) this.agentModels = this.written();
    return this.agentModels.text;
  }

  @Get('models')
  @Header('content-type', JSON_TYPE)
  @PublicRoute()
  @ApiOperation({ summary: 'The models in the OpenAI list shape.', operationId: 'listModelsOpenai' })
  @ApiOkResponse({ type: ModelListAnswer })
  list(): string {
    return this.modelList;
  }

  private written(): { readonly revision: number; readonly text: string } {
    const { price } = this.settings;
    const text = JSON.stringify({
      models: [...this.catalog.media.values()].map((model) =>
        publicMedia(model, price, this.liveCosts.of(model).costs),
      ),
      textModels: [...this.catalog.text.values()].map((model) => publicText(model, price)),
    });
    return { revision: this.liveCosts.revision, text };
  }
}
