import { Body, Controller, Get, Param, Post, Req } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { AdminSwitch, AdminSwitchesAnswer, SwitchBody } from './admin-sales.dto';
import { AdminSalesService } from './admin-sales.service';
import { OperatorRoute } from './operator-route';

const ApiKind = () => ApiParam({ name: 'kind', enum: ['model', 'provider'] });

/** Switches models and providers on and off while the service runs. */
@ApiTags('admin')
@Controller('v1/admin/switches')
export class AdminSalesController {
  constructor(private readonly sales: AdminSalesService) {}

  @Get()
  @OperatorRoute({
    summary: 'Providers and models, and which of them are off.',
    operationId: 'adminListSwitches',
    answer: AdminSwitchesAnswer,
  })
  list(): Promise<AdminSwitchesAnswer> {
    return this.sales.list();
  }

  @Post(':kind/:name/off')
  @OperatorRoute({
    scope: 'service',
    summary: 'Switch a model or a provider off, in all processes at once.',
    description:
      'A model that is off is not sold, and a provider that is off gets no new work. Accepted work continues to ' +
      'its end. The switch stays off over restarts, until it is switched on.',
    operationId: 'adminSwitchOff',
    answer: AdminSwitch,
    failures: [400, 404],
  })
  @ApiKind()
  off(
    @Param('kind') kind: string,
    @Param('name') name: string,
    @Body() body: SwitchBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminSwitch> {
    return this.sales.turn('off', { kind, name }, body.reason, request);
  }

  @Post(':kind/:name/on')
  @OperatorRoute({
    scope: 'service',
    summary: 'Switch a model or a provider on again.',
    operationId: 'adminSwitchOn',
    answer: AdminSwitch,
    failures: [400, 404],
  })
  @ApiKind()
  on(
    @Param('kind') kind: string,
    @Param('name') name: string,
    @Body() body: SwitchBody,
    @Req() request: FastifyRequest,
  ): Promise<AdminSwitch> {
    return this.sales.turn('on', { kind, name }, body.reason, request);
  }
}
