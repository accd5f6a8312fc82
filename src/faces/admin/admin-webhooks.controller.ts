import { Controller, Param, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { WebhookDeliveryAnswer } from '#notices/webhooks/webhooks.dto';
import { WebhooksService } from '#notices/webhooks/webhooks.service';
import { OperatorRoute } from './operator-route';
import { AuditRepository } from './audit.repository';
import { doneBy } from './operators';

const SUBJECT_CHARS_MAX = 120;

/** Lets operators send an event again, for an owner who missed the first delivery. */
@ApiTags('admin')
@Controller('v1/admin/webhooks')
export class AdminWebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly audit: AuditRepository,
  ) {}

  @Post(':id/deliveries/:eventId/retry')
  @OperatorRoute({
    scope: 'service',
    summary: 'Send an event of the last 30 days to an endpoint of its owner again, at once.',
    operationId: 'adminRetryWebhook',
    status: 202,
    answer: WebhookDeliveryAnswer,
    failures: [404, 409],
  })
  async retry(
    @Param('id') id: string,
    @Param('eventId') eventId: string,
    @Req() request: FastifyRequest,
  ): Promise<WebhookDeliveryAnswer> {
    const subject = `${id} ${eventId}`.slice(0, SUBJECT_CHARS_MAX);
    await this.audit.add({ action: 'retry_webhook', accountId: '', subject, ...doneBy(request) });
    return this.webhooks.replayFor(id, eventId);
  }
}
