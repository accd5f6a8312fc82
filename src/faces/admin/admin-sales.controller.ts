import { Body, Controller, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { ApiFailures } from '#platform/openapi/docs';
import { AdminSwitch, AdminSwitchesAnswer, SwitchBody } from './admin-sales.dto';
import { AdminSalesService } from './admin-sales.service';
import { AdminGuard, ForAdmins } from './admin.guard';
import { InDocument } from '#platform/openapi/audience';

const ApiKind = () => ApiParam({ name: 'kind', enum: ['model', 'provider'] });

/** Switches models and providers on and off while the service runs. */
@ApiTags('admin')
@ApiSecurity('adminToken')
@UseGuards(AdminGuard)
@InDocument('account')
@Controller('v1/admin/switches')
export class AdminSalesController {
  constructor(private readonly sales: AdminSalesService) {}

  @Get()
  @ApiOperation({
    summary: 'Providers and models, and which of them are off.',
    operationId: 'adminListSwitches',
  })
  @ApiOkResponse({ type: AdminSwitchesAnswer })
  @ApiFailures(401, 403, 429)
  list(): Promise<AdminSwitchesAnswer> {
    return this.sales.list();
  }

  @Post(':kind/:name/off')
  @ForAdmins('service')
  @HttpCode(200)
  @ApiKind()
  @ApiOperation({
    summary: 'Switch a model or a provider off, in all processes at once.',
    description:
      'A model that is off is not sold, and a provider that is off gets no new work. Accepted work continues to ' +
      'its end. The switch stays off over restarts, until it is switched on.',
    operationId: 'adminSwitchOff',
  })
  @ApiOkResponse({ type: AdminSwitch })
  @ApiFailures(400, 401, 403, 404, 429)
  off(
    @Param('kind') kind: string,
    @Param('name') name: string,
    @Body() body: SwitchBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminSwitch> {
    return this.sales.turn('off', { kind, name }, body.reason, request);
  }

  @Post(':kind/:name/on')
  @ForAdmins('service')
  @HttpCode(200)
  @ApiKind()
  @ApiOperation({
    summary: 'Switch a model or a provider on again.',
    operationId: 'adminSwitchOn',
  })
  @ApiOkResponse({ type: AdminSwitch })
  @ApiFailures(400, 401, 403, 404, 429)
  on(
    @Param('kind') kind: string,
    @Param('name') name: string,
    @Body() body: SwitchBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminSwitch> {
    return this.sales.turn('on', { kind, name }, body.reason, request);
  }
}
