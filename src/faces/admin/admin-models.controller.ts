import { Body, Controller, Get, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { AdminModel } from '#models/catalog/choices/model-facts.dto';
import {
  AdminModelsAnswer,
  AdminVendorList,
  ManyModelsAnswer,
  ManyModelsPatchBody,
  ModelPatchBody,
} from './admin-models.dto';
import { AdminModelsService } from './admin-models.service';
import { OperatorRoute } from './operator-route';
import { doneBy } from './operators';

/** Shows operators all models of all vendors, and changes how they are sold. */
@ApiTags('admin')
@Controller('v1/admin/models')
export class AdminModelsController {
  constructor(private readonly models: AdminModelsService) {}

  @Get()
  @OperatorRoute({
    summary: 'All models with cost and price, and why some are not for sale.',
    operationId: 'adminListModels',
    answer: AdminModelsAnswer,
  })
  list(): Promise<AdminModelsAnswer> {
    return this.models.list();
  }

  @Get('export')
  @OperatorRoute({
    summary: 'The models for sale as a CATALOG_FILE.',
    operationId: 'adminExportModels',
    answer: { schema: { type: 'object', additionalProperties: true } },
  })
  export(): Promise<object> {
    return this.models.exported();
  }

  @Patch()
  @OperatorRoute({
    scope: 'service',
    summary: 'Make one change to many models.',
    description: 'As `PATCH /v1/admin/models/{id}`. A model that it refuses does not stop the others.',
    operationId: 'adminChangeModels',
    answer: ManyModelsAnswer,
    failures: [400],
  })
  changeMany(@Body() body: ManyModelsPatchBody, @Req() request: FastifyRequest): Promise<ManyModelsAnswer> {
    return this.models.changeMany(body, doneBy(request));
  }

  @Patch(':id')
  @OperatorRoute({
    scope: 'service',
    summary: 'Change how a model is sold, in all processes at once.',
    description:
      'The change stays over restarts. Null restores a default. Prices are those of models that a list of a vendor has ' +
      'added; other models keep the rates of the catalog.',
    operationId: 'adminChangeModel',
    answer: AdminModel,
    failures: [400, 404, 409],
  })
  change(
    @Param('id') id: string,
    @Body() body: ModelPatchBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminModel> {
    return this.models.change(id, body, doneBy(request));
  }

  @Post('lists/:vendor/agree')
  @OperatorRoute({
    scope: 'service',
    summary: 'Agree that most models of a vendor are gone.',
    description:
      'A list that lacks more than half of its models may be a mistake, so the models stay for sale for a while.',
    operationId: 'adminAgreeToList',
    answer: AdminVendorList,
    failures: [404],
  })
  agree(@Param('vendor') vendor: string, @Req() request: FastifyRequest): Promise<AdminVendorList> {
    return this.models.agreeToList(vendor, doneBy(request));
  }
}
