import { Controller, Get, Headers, Param, UseFilters } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';

import type { AppError } from '#kernel/app-error';
import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { Catalog } from '#models/catalog/catalog';
import type { TextModel } from '#models/catalog/catalog-models';
import { UnknownModel } from '#models/catalog/catalog.errors';
import {
  GenerateContentModel,
  GenerateContentModelList,
  ListedModel,
  MessagesModel,
  MessagesModelList,
  ModelListAnswer,
} from './model-lists.dto';
import { inputsOf } from '#models/catalog/public-models';
import { shownRates } from '#models/catalog/rates';
import { GenerateContentErrorFilter } from '../generate-content/generate-content-error.filter';
import { LookUpErrorFilter, VERSION } from './look-up-error.filter';

const eitherOf = (
  ...types:
    | readonly [typeof ListedModel, typeof MessagesModel]
    | readonly [typeof ModelListAnswer, typeof MessagesModelList]
) => ({
  schema: { anyOf: types.map((type) => ({ $ref: getSchemaPath(type) })) },
});

const VersionHeader = (): MethodDecorator =>
  ApiHeader({
    name: VERSION,
    required: false,
    description: "The answer has Anthropic's shape, with the text models only.",
    schema: { type: 'string' },
  });

const listed = (id: string, model?: TextModel): ListedModel => ({
  id,
  object: 'model',
  created: 0,
  owned_by: 'lamppost',
  ...(model === undefined
    ? {}
    : {
        context_length: model.contextTokens,
        max_output_tokens: model.maxOutputTokens,
        input_modalities: inputsOf(model),
        supported_features: (['tools', 'reasoning'] as const).filter((feature) => model[feature] === true),
        pricing: shownRates(model.rates),
      }),
});

/** No model here has a date of its own, but clients parse one. */
const asMessagesModel = (model: TextModel, id = model.id): MessagesModel => ({
  type: 'model',
  id,
  display_name: model.name,
  created_at: '1970-01-01T00:00:00Z',
  max_input_tokens: model.contextTokens,
  max_tokens: model.maxOutputTokens,
  capabilities: {
    image_input: { supported: model.vision === true },
    thinking: { supported: model.reasoning === true },
    ...(model.tools === true ? { tools: { supported: true } } : {}),
  },
  pricing: shownRates(model.rates),
});

const asContentModel = (model: TextModel, id = model.id): GenerateContentModel => ({
  name: `models/${id}`,
  displayName: model.name,
  version: '1',
  inputTokenLimit: model.contextTokens,
  outputTokenLimit: model.maxOutputTokens,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
  thinking: model.reasoning || undefined,
  inputModalities: inputsOf(model),
  functionCalling: model.tools || undefined,
  pricing: shownRates(model.rates),
});

/** The models in the shapes of the makers' own lists, for their stock clients. An alias is answered under its name. */
@ApiTags('catalog')
@ApiExtraModels(ListedModel, MessagesModel, MessagesModelList, ModelListAnswer)
@Controller()
export class ModelListsController {
  constructor(private readonly catalog: Catalog) {}

  @Get('v1/models')
  @PublicRoute()
  @VersionHeader()
  @ApiOperation({ summary: 'The models in the OpenAI list shape.', operationId: 'listModelsOpenai' })
  @ApiOkResponse(eitherOf(ModelListAnswer, MessagesModelList))
  list(@Headers(VERSION) version?: string): ModelListAnswer | MessagesModelList {
    const { text, media, audio } = this.catalog;
    if (version === undefined) {
      const others = [...media.keys(), ...audio.keys()].map((id) => listed(id));
      return {
        object: 'list',
        data: [...[...text.values()].map((model) => listed(model.id, model)), ...others],
      };
    }
    const data = [...text.values()].map((model) => asMessagesModel(model));
    return {
      data,
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    };
  }

  @Get('v1/models/:call')
  @UseFilters(LookUpErrorFilter)
  @PublicRoute()
  @VersionHeader()
  @ApiOperation({ summary: 'One model in the OpenAI shape.', operationId: 'getModelOpenai' })
  @ApiOkResponse(eitherOf(ListedModel, MessagesModel))
  @ApiFailures(404)
  one(@Param('call') id: string, @Headers(VERSION) version?: string): ListedModel | MessagesModel {
    if (version !== undefined) return asMessagesModel(this.text(id), id);
    const { text, media, audio } = this.catalog;
    const own = this.catalog.idOf(id);
    if (this.isRefused(id) || (!text.has(own) && !media.has(own) && !audio.has(own))) throw this.unknown(id);
    return listed(id, text.get(own));
  }

  @Get('v1beta/models')
  @PublicRoute()
  @ApiOperation({ summary: "The text models in Google's shape.", operationId: 'listContentModels' })
  @ApiOkResponse({ type: GenerateContentModelList })
  contentModels(): GenerateContentModelList {
    return { models: [...this.catalog.text.values()].map((model) => asContentModel(model)) };
  }

  @Get('v1beta/models/:model')
  @UseFilters(GenerateContentErrorFilter)
  @PublicRoute()
  @ApiOperation({ summary: "One text model in Google's shape.", operationId: 'getContentModel' })
  @ApiOkResponse({ type: GenerateContentModel })
  @ApiFailures(404)
  contentModel(@Param('model') id: string): GenerateContentModel {
    return asContentModel(this.text(id), id);
  }

  private text(id: string): TextModel {
    const model = this.catalog.text.get(this.catalog.idOf(id));
    if (model === undefined || this.isRefused(id)) throw this.unknown(id);
    return model;
  }

  private isRefused(id: string): boolean {
    return this.catalog.refusalOfName(id) !== undefined;
  }

  private unknown(id: string): AppError {
    const why = this.catalog.refusalOfName(id, 'not_found');
    return why ?? new UnknownModel(id, [...this.catalog.text.keys()], 'model', 'not_found');
  }
}
