import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { EVERYBODY } from '#people/accounts/roles';
import { sessionRule } from '#people/accounts/routes/session-rule';
import { NotFound } from '#kernel/app-error';
import { bodyBytes } from '#platform/http/body/body-bytes';
import { callerOf } from '#platform/http/limits/caller-address';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { HttpRoute } from '#platform/http/routes/route';
import { AutoTopUpsService } from './auto-top-ups.service';
import { type CardReport, PaymentProcessor, type PaymentReport } from './payment-processor';
import { TopUpsService } from './top-ups.service';

const EVENT_BYTES_MAX = 256 * 1024;

/** Receives payment events. After anything but a 2xx, Stripe sends an event again, for three days. */
@ApiExcludeController()
@Controller('v1/account/billing/stripe/webhook')
export class StripeWebhookController {
  constructor(
    private readonly processor: PaymentProcessor,
    private readonly topUps: TopUpsService,
    private readonly autoTopUps: AutoTopUpsService,
    private readonly limits: RateLimits,
  ) {}

  @Post()
  @HttpCode(200)
  // Stripe sends from few addresses, so only messages without a valid signature count against the rate limit.
  @HttpRoute({
    limit: 'none',
    bodyBytesMax: EVENT_BYTES_MAX,
    strangersBytesMax: EVENT_BYTES_MAX,
    raw: true,
    ...sessionRule({ who: EVERYBODY }),
  })
  async receive(@Req() request: FastifyRequest): Promise<{ readonly received: true }> {
    const report = await this.signed(request);
    if (report === undefined) return { received: true };
    if ('status' in report) await this.topUps.apply(report);
    else await this.autoTopUps.cardSaved(report);
    return { received: true };
  }

  private async signed(request: FastifyRequest): Promise<PaymentReport | CardReport | undefined> {
    if (this.processor.read === undefined) {
      throw new NotFound('There is nothing at this address.');
    }
    try {
      // The signature covers the bytes, not the parsed content.
      return this.processor.read(bodyBytes(request), request.headers['stripe-signature'] as string);
    } catch (error) {
      await this.limits.count('address', callerOf(request));
      throw error;
    }
  }
}
