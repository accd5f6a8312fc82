import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { SETTINGS, type Settings } from '../platform/config/settings';
import { PublicRoute } from '../platform/openapi/docs';
import { Catalog, publicMedia, publicText } from './catalog';
import { ModelListAnswer, ModelsAnswer } from './catalog.dto';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The catalog never changes while the process runs, so its answers are written once, at the start. */
@ApiTags('catalog')
@Controller('v1')
export class CatalogController {
  private readonly agentModels: string;
  private readonly modelList: string;

  constructor(catalog: Catalog, @Inject(SETTINGS) settings: Settings) {
    this.agentModels = JSON.stringify({
      models: [...catalog.media.values()].map((model) => publicMedia(model, settings.price)),
      textModels: [...catalog.text.values()].map((model) => publicText(model, settings.price)),
    });
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
    return this.agentModels;
  }

  @Get('models')
  @Header('content-type', JSON_TYPE)
  @PublicRoute()
  @ApiOperation({ summary: 'The models in the OpenAI list shape.', operationId: 'listModelsOpenai' })
  @ApiOkResponse({ type: ModelListAnswer })
  list(): string {
    return this.modelList;
  }
}
