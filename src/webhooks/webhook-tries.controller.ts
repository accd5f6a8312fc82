import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import type { Acting } from '../accounts/acting';
import { ActingRoute, SignedIn } from '../accounts/session.guard';
import { viewOfSession } from '../keys/view';
import { ApiFailures } from '../platform/openapi/docs';
import { TriesQuery, WebhookTriesAnswer } from './webhooks.dto';
import { WebhooksService } from './webhooks.service';

/** The tries of webhook endpoints, for the page that debugs receivers. */
@ApiTags('webhooks')
@ActingRoute()
@Controller('v1/account/webhooks')
export class WebhookTriesController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get(':id/tries')
  @ApiOperation({
    summary: 'The tries of a webhook endpoint: each sent message with its answer. The list includes tests.',
    operationId: 'listWebhookTries',
  })
  @ApiOkResponse({ type: WebhookTriesAnswer })
  @ApiFailures(400, 401, 404, 429)
  list(
    @SignedIn() acting: Acting,
    @Param('id') id: string,
    @Query() { eventId }: TriesQuery,
  ): Promise<WebhookTriesAnswer> {
    return this.webhooks.listTries(viewOfSession(acting), id, eventId);
  }
}
