import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DoneAnswer } from '#people/accounts/accounts.dto';
import { ForOwners, OWNER_ROUTE, Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { Audited } from '#people/accounts/audit/audited';
import { WEBHOOK_CHANGED, WEBHOOK_DELETED, WEBHOOK_MADE, WEBHOOK_ROTATED } from './webhooks.audit';
import { fieldsOf } from '#people/accounts/audit/audit-action';
import { showOwnLimit } from '#platform/http/limits/address-limits';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { ApiIdempotencyKey, idempotentCallOf } from '#platform/http/routes/idempotency-key';
import { HttpRoute } from '#platform/http/routes/route';
import { ApiBodyLike, ApiFailures, ApiOwner } from '#platform/openapi/docs';
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
import { InDocument } from '#platform/openapi/audience';

type Params = Readonly<Record<string, string>>;

/** The endpoints at which an account or a wallet receives its events. */
@ApiTags('webhooks')
@ApiOwner()
@ForOwners({ scope: 'webhooks' })
@InDocument('crawlers')
@Controller('v1/agent/webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly limits: RateLimits,
  ) {}

  @Post()
  @Audited(WEBHOOK_MADE, ({ answer }: { answer: WebhookAnswer }) => ({
    subject: answer.id,
    detail: answer.url,
  }))
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({
    summary: 'Add a webhook endpoint, which receives events.',
    description:
      'Messages follow Standard Webhooks. An owner must have paid before, and may have ten endpoints. The secret is shown once. ' +
      'The service deletes an endpoint when the key that set its address expires or is deleted, and disables it when the member leaves. ' +
      'A delegated key receives events of its own calls only, and may have two endpoints.',
    operationId: 'createWebhook',
  })
  @ApiIdempotencyKey('Your idempotency key: the same key gets the same endpoint again.')
  @ApiBodyLike(NewWebhookBody, {
    url: 'https://example.com/hooks/lamppost',
    types: ['job.done', 'job.failed'],
  })
  @ApiCreatedResponse({ type: WebhookWithSecretAnswer })
  @ApiFailures(400, 401, 402, 403, 409, 422, 429, 451)
  create(
    @Owner() owner: ProvenOwner,
    @Req() request: FastifyRequest,
    @Body() body: NewWebhookBody,
  ): Promise<WebhookWithSecretAnswer> {
    return this.webhooks.create(owner, body, idempotentCallOf(request));
  }

  @Get()
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({ summary: 'Your webhook endpoints.', operationId: 'listWebhooks' })
  @ApiOkResponse({ type: WebhooksAnswer })
  @ApiFailures(401, 403, 429, 451)
  async list(@Owner() owner: ProvenOwner): Promise<WebhooksAnswer> {
    return { webhooks: await this.webhooks.list(owner) };
  }

  @Get(':id')
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({ summary: 'One webhook endpoint.', operationId: 'getWebhook' })
  @ApiOkResponse({ type: WebhookAnswer })
  @ApiFailures(401, 403, 404, 429, 451)
  show(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<WebhookAnswer> {
    return this.webhooks.show(owner, id);
  }

  @Patch(':id')
  @Audited(WEBHOOK_CHANGED, ({ params, body }: { params: Params; body: WebhookChangeBody }) => ({
    subject: params['id'],
    detail: fieldsOf(body),
  }))
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({ summary: 'Change, disable or enable a webhook endpoint.', operationId: 'changeWebhook' })
  @ApiBodyLike(WebhookChangeBody, { enabled: false })
  @ApiOkResponse({ type: WebhookAnswer })
  @ApiFailures(400, 401, 403, 404, 429, 451)
  change(
    @Owner() owner: ProvenOwner,
    @Param('id') id: string,
    @Body() body: WebhookChangeBody,
  ): Promise<WebhookAnswer> {
    return this.webhooks.change(owner, id, body);
  }

  @Delete(':id')
  @Audited(WEBHOOK_DELETED, ({ params }: { params: Params }) => ({ subject: params['id'] }))
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({
    summary: 'Delete a webhook endpoint, with its deliveries.',
    operationId: 'deleteWebhook',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(401, 403, 404, 429, 451)
  async delete(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<DoneAnswer> {
    await this.webhooks.delete(owner, id);
    return { ok: true };
  }

  @Post(':id/rotate')
  @Audited(WEBHOOK_ROTATED, ({ params }: { params: Params }) => ({ subject: params['id'] }))
  @HttpCode(200)
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({
    summary: 'Give a webhook endpoint a new secret.',
    description: 'The secrets before it sign as well until the overlap ends; with 0 they end at once.',
    operationId: 'rotateWebhook',
  })
  @ApiIdempotencyKey('Your idempotency key: the same key gets the same secret again.')
  @ApiBodyLike(RotateWebhookBody, { overlapSeconds: 86_400 })
  @ApiOkResponse({ type: WebhookWithSecretAnswer })
  @ApiFailures(400, 401, 403, 404, 410, 422, 429, 451)
  rotate(
    @Owner() owner: ProvenOwner,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Body() body: RotateWebhookBody,
  ): Promise<WebhookWithSecretAnswer> {
    return this.webhooks.rotate(owner, id, body.overlapSeconds, idempotentCallOf(request));
  }

  @Post(':id/test')
  @HttpCode(200)
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({
    summary: "Send a message of the type `webhook.test` now, and return the endpoint's answer.",
    operationId: 'testWebhook',
  })
  @ApiOkResponse({ type: WebhookTestAnswer })
  @ApiFailures(401, 403, 404, 429, 451)
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
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({
    summary: 'The deliveries of a webhook endpoint, and their outcomes.',
    operationId: 'listWebhookDeliveries',
  })
  @ApiOkResponse({ type: WebhookDeliveriesAnswer })
  @ApiFailures(400, 401, 403, 404, 429, 451)
  deliveries(
    @Owner() owner: ProvenOwner,
    @Param('id') id: string,
    @Query() query: DeliveriesQuery,
  ): Promise<WebhookDeliveriesAnswer> {
    return this.webhooks.listDeliveries(owner, id, query);
  }

  @Post(':id/deliveries/:eventId/replay')
  @HttpCode(202)
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({
    summary: 'Send an event again, or one that the endpoint has missed.',
    description: 'Any of your events of the last 30 days. The delivery gets all its tries again.',
    operationId: 'replayWebhookDelivery',
  })
  @ApiAcceptedResponse({ type: WebhookDeliveryAnswer })
  @ApiFailures(401, 403, 404, 409, 429, 451)
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
