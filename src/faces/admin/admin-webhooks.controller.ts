import { Controller, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { ApiFailures } from '#platform/openapi/docs';
import { WebhookDeliveryAnswer } from '#notices/webhooks/webhooks.dto';
import { WebhooksService } from '#notices/webhooks/webhooks.service';
import { AdminGuard, ForAdmins } from './admin.guard';
import { AuditRepository } from './audit.repository';
import { doneBy } from './operators';
import { InDocument } from '#platform/openapi/audience';

const SUBJECT_CHARS_MAX = 120;

/** Lets operators send an event again, for an owner who missed the first delivery. */
@ApiTags('admin')
@ApiSecurity('adminToken')
@UseGuards(AdminGuard)
@InDocument('account')
@Controller('v1/admin/webhooks')
export class AdminWebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly audit: AuditRepository,
  ) {}

  @Post(':id/deliveries/:eventId/retry')
  @ForAdmins('service')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Send an event of the last 30 days to an endpoint of its owner again, at once.',
    operationId: 'adminRetryWebhook',
  })
  @ApiAcceptedResponse({ type: WebhookDeliveryAnswer })
  @ApiFailures(401, 403, 404, 409, 429)
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
