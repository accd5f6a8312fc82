import { Body, Controller, Get, HttpCode, Param, Patch, Post, Req, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { InDocument } from '#platform/openapi/audience';
import { ApiFailures } from '#platform/openapi/docs';
import {
  AdminModel,
  AdminModelsAnswer,
  AdminVendorList,
  ManyModelsAnswer,
  ManyModelsPatchBody,
  ModelPatchBody,
} from './admin-models.dto';
import { AdminModelsService } from './admin-models.service';
import { AdminGuard, ForAdmins } from './admin.guard';
import { doneBy } from './operators';

/** Shows operators all models of all vendors, and changes how they are sold. */
@ApiTags('admin')
@ApiSecurity('adminToken')
@UseGuards(AdminGuard)
@InDocument('account')
@Controller('v1/admin/models')
export class AdminModelsController {
  constructor(private readonly models: AdminModelsService) {}

  @Get()
  @ApiOperation({
    summary: 'All models with cost and price, and why some are not for sale.',
    operationId: 'adminListModels',
  })
  @ApiOkResponse({ type: AdminModelsAnswer })
  @ApiFailures(401, 403, 429)
  list(): Promise<AdminModelsAnswer> {
    return this.models.list();
  }

  @Get('export')
  @ApiOperation({
    summary: 'The models for sale as a CATALOG_FILE.',
    operationId: 'adminExportModels',
  })
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  @ApiFailures(401, 403, 429)
  export(): Promise<object> {
    return this.models.exported();
  }

  @Patch()
  @ForAdmins('service')
  @ApiOperation({
    summary: 'Make one change to many models.',
    description: 'As `PATCH /v1/admin/models/{id}`. A model that it refuses does not stop the others.',
    operationId: 'adminChangeModels',
  })
  @ApiOkResponse({ type: ManyModelsAnswer })
  @ApiFailures(400, 401, 403, 429)
  changeMany(@Body() body: ManyModelsPatchBody, @Req() request: FastifyRequest): Promise<ManyModelsAnswer> {
    return this.models.changeMany(body, doneBy(request));
  }

  @Patch(':id')
  @ForAdmins('service')
  @ApiOperation({
    summary: 'Change how a model is sold, in all processes at once.',
    description:
      'The change stays over restarts. Null restores a default. Prices are those of models that a list of a vendor has ' +
      'added; other models keep the rates of the catalog.',
    operationId: 'adminChangeModel',
  })
  @ApiOkResponse({ type: AdminModel })
  @ApiFailures(400, 401, 403, 404, 409, 429)
  change(
    @Param('id') id: string,
    @Body() body: ModelPatchBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminModel> {
    return this.models.change(id, body, doneBy(request));
  }

  @Post('lists/:vendor/agree')
  @ForAdmins('service')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Agree that most models of a vendor are gone.',
    description:
      'A list that lacks more than half of its models may be a mistake, so the models stay for sale for a while.',
    operationId: 'adminAgreeToList',
  })
  @ApiOkResponse({ type: AdminVendorList })
  @ApiFailures(401, 403, 404, 429)
  agree(@Param('vendor') vendor: string, @Req() request: FastifyRequest): Promise<AdminVendorList> {
    return this.models.agreeToList(vendor, doneBy(request));
  }
}
