import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DoneAnswer } from '#people/accounts/accounts.dto';
import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { audited } from '#people/accounts/audit/audited';
import { WEBHOOK_CHANGED, WEBHOOK_DELETED, WEBHOOK_MADE, WEBHOOK_ROTATED } from './webhooks.audit';
import { fieldsOf } from '#people/accounts/audit/audit-action';
import { showOwnLimit } from '#platform/http/limits/address-limits';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { idempotentCallOf } from '#platform/http/routes/idempotency-key';
import {
  NewWebhookBody,
  RotateWebhookBody,
  WebhookAnswer,
  WebhookChangeBody,
  WebhookDeliveriesAnswer,
  WebhookDeliveryAnswer,
  WebhookTestAnswer,
  WebhookWithSecretAnswer,
  WebhooksAnswer,
  DeliveriesQuery,
} from './webhooks.dto';
import { WebhooksService } from './webhooks.service';

type Params = Readonly<Record<string, string>>;

const OWN = { scope: 'webhooks', isForCrawlers: true } as const;

/** The endpoints at which an account or a wallet receives its events. */
@ApiTags('webhooks')
@Controller('v1/agent/webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly limits: RateLimits,
  ) {}

  @Post()
  @OwnerRoute({
    ...OWN,
    audit: audited(WEBHOOK_MADE, ({ answer }: { answer: WebhookAnswer }) => ({
      subject: answer.id,
      detail: answer.url,
    })),
    summary: 'Add a webhook endpoint, which receives events.',
    description:
      'Messages follow Standard Webhooks. An owner must have paid before, and may have ten endpoints. The secret is shown once. ' +
      'The service deletes an endpoint when the key that set its address expires or is deleted, and disables it when the member leaves. ' +
      'A delegated key receives events of its own calls only, and may have two endpoints.',
    operationId: 'createWebhook',
    idempotencyKey: 'Your idempotency key: the same key gets the same endpoint again.',
    body: NewWebhookBody,
    example: {
      url: 'https://example.com/hooks/lamppost',
      types: ['job.done', 'job.failed'],
    },
    status: 201,
    answer: WebhookWithSecretAnswer,
    failures: [400, 402, 409, 422],
  })
  create(
    @Owner() owner: ProvenOwner,
    @Req() request: FastifyRequest,
    @Body() body: NewWebhookBody,
  ): Promise<WebhookWithSecretAnswer> {
    return this.webhooks.create(owner, body, idempotentCallOf(request));
  }

  @Get()
  @OwnerRoute({
    ...OWN,
    summary: 'Your webhook endpoints.',
    operationId: 'listWebhooks',
    answer: WebhooksAnswer,
  })
  async list(@Owner() owner: ProvenOwner): Promise<WebhooksAnswer> {
    return { webhooks: await this.webhooks.list(owner) };
  }

  @Get(':id')
  @OwnerRoute({
    ...OWN,
    summary: 'One webhook endpoint.',
    operationId: 'getWebhook',
    answer: WebhookAnswer,
    failures: [404],
  })
  show(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<WebhookAnswer> {
    return this.webhooks.show(owner, id);
  }

  @Patch(':id')
  @OwnerRoute({
    ...OWN,
    audit: audited(WEBHOOK_CHANGED, ({ params, body }: { params: Params; body: WebhookChangeBody }) => ({
      subject: params['id'],
      detail: fieldsOf(body),
    })),
    summary: 'Change, disable or enable a webhook endpoint.',
    operationId: 'changeWebhook',
    body: WebhookChangeBody,
    example: { enabled: false },
    answer: WebhookAnswer,
    failures: [400, 404],
  })
  change(
    @Owner() owner: ProvenOwner,
    @Param('id') id: string,
    @Body() body: WebhookChangeBody,
  ): Promise<WebhookAnswer> {
    return this.webhooks.change(owner, id, body);
  }

  @Delete(':id')
  @OwnerRoute({
    ...OWN,
    audit: audited(WEBHOOK_DELETED, 'id'),
    summary: 'Delete a webhook endpoint, with its deliveries.',
    operationId: 'deleteWebhook',
    answer: DoneAnswer,
    failures: [404],
  })
  async delete(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<DoneAnswer> {
    await this.webhooks.delete(owner, id);
    return { ok: true };
  }

  @Post(':id/rotate')
  @OwnerRoute({
    ...OWN,
    audit: audited(WEBHOOK_ROTATED, 'id'),
    summary: 'Give a webhook endpoint a new secret.',
    description: 'The secrets before it sign as well until the overlap ends; with 0 they end at once.',
    operationId: 'rotateWebhook',
    idempotencyKey: 'Your idempotency key: the same key gets the same secret again.',
    body: RotateWebhookBody,
    example: { overlapSeconds: 86_400 },
    answer: WebhookWithSecretAnswer,
    failures: [400, 404, 410, 422],
  })
  rotate(
    @Owner() owner: ProvenOwner,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Body() body: RotateWebhookBody,
  ): Promise<WebhookWithSecretAnswer> {
    return this.webhooks.rotate(owner, id, body.overlapSeconds, idempotentCallOf(request));
  }

  @Post(':id/test')
  @OwnerRoute({
    ...OWN,
    summary: "Send a message of the type `webhook.test` now, and return the endpoint's answer.",
    operationId: 'testWebhook',
    answer: WebhookTestAnswer,
    failures: [404],
  })
  async test(
    @Owner() owner: ProvenOwner,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookTestAnswer> {
    await this.countByHand(owner, request, reply);
    return this.webhooks.test(owner, id);
  }

  @Get(':id/deliveries')
  @OwnerRoute({
    ...OWN,
    summary: 'The deliveries of a webhook endpoint, and their outcomes.',
    operationId: 'listWebhookDeliveries',
    answer: WebhookDeliveriesAnswer,
    failures: [400, 404],
  })
  deliveries(
    @Owner() owner: ProvenOwner,
    @Param('id') id: string,
    @Query() query: DeliveriesQuery,
  ): Promise<WebhookDeliveriesAnswer> {
    return this.webhooks.listDeliveries(owner, id, query);
  }

  @Post(':id/deliveries/:eventId/replay')
  @OwnerRoute({
    ...OWN,
    summary: 'Send an event again, or one that the endpoint has missed.',
    description: 'Any of your events of the last 30 days. The delivery gets all its tries again.',
    operationId: 'replayWebhookDelivery',
    status: 202,
    answer: WebhookDeliveryAnswer,
    failures: [404, 409],
  })
  async replay(
    @Owner() owner: ProvenOwner,
    @Param('id') id: string,
    @Param('eventId') eventId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookDeliveryAnswer> {
    await this.countByHand(owner, request, reply);
    return this.webhooks.replay(owner, id, eventId);
  }

  /** Limits messages that an owner sends by hand. */
  private async countByHand(owner: ProvenOwner, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    showOwnLimit(request, reply, await this.limits.count('webhookTests', owner.id));
  }
}
