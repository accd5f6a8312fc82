import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { EVERY_ROLE } from '#people/accounts/roles';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { viewOfSession } from '#people/keys/visible-rows';
import { TriesQuery, WebhookTriesAnswer } from './webhooks.dto';
import { WebhooksService } from './webhooks.service';

/** The tries of webhook endpoints, for the page that debugs receivers. */
@ApiTags('webhooks')
@Controller('v1/account/webhooks')
export class WebhookTriesController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get(':id/tries')
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'The tries of a webhook endpoint: each sent message with its answer. The list includes tests.',
    operationId: 'listWebhookTries',
    answer: WebhookTriesAnswer,
    failures: [400, 401, 404, 429],
  })
  list(
    @SignedIn() acting: Acting,
    @Param('id') id: string,
    @Query() { eventId }: TriesQuery,
  ): Promise<WebhookTriesAnswer> {
    return this.webhooks.listTries(viewOfSession(acting), id, eventId);
  }
}
