import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { StatusAnswer, StatusQuery } from './status.dto';
import { StatusService } from './status.service';
import { InDocument } from '#platform/openapi/audience';

/** The data of the status page. Programs can use it as well. */
@ApiTags('catalog')
@InDocument('crawlers')
@Controller('v1/agent/status')
export class StatusController {
  constructor(private readonly service: StatusService) {}

  @Get()
  @Header('cache-control', 'public, max-age=30')
  @PublicRoute()
  @ApiOperation({
    summary: 'The success rate and the duration of calls, by model.',
    description:
      'The figures are from the outcomes of real calls. They leave out calls that show nothing about a model: ' +
      'running calls, calls whose payment failed, and completions that ended without a charge.',
    operationId: 'getStatus',
  })
  @ApiOkResponse({ type: StatusAnswer })
  @ApiFailures(400, 503)
  status(@Query() { window }: StatusQuery): Promise<StatusAnswer> {
    return this.service.status(window);
  }
}
