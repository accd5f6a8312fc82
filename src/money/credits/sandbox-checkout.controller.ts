import { Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { OriginMismatch } from '#people/accounts/accounts.errors';
import { callerOf } from '#platform/http/limits/caller-address';
import { HttpRoute } from '#platform/http/routes/route';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { PAGE_HEADERS, sandboxPage } from './sandbox-page';
import { TopUpsService } from './top-ups.service';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

@ApiExcludeController()
@Controller('checkout/sandbox/:topUpId')
export class SandboxCheckoutController {
  constructor(
    private readonly topUps: TopUpsService,
    private readonly limits: RateLimits,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  @Get()
  async page(
    @Param('topUpId') topUpId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { id, amount, state } = await this.topUps.inSandbox(topUpId);
    void reply.headers(PAGE_HEADERS);
    const { pathname } = new URL(`${this.settings.http.publicUrl}/checkout/sandbox/${id}/pay`);
    return sandboxPage({ amount, state, payUrl: pathname, billingUrl: this.topUps.billingPage });
  }

  /** The id is the permission, so no cookie is needed. Pages of other sites still can't press the button. */
  @Post('pay')
  @HttpRoute({ form: 'urlencoded' })
  async pay(
    @Param('topUpId') topUpId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const own = new URL(this.settings.http.publicUrl).origin;
    if (request.headers.origin !== undefined && request.headers.origin !== own) {
      throw new OriginMismatch(own);
    }
    await this.limits.count('topUp', callerOf(request));
    await this.topUps.payInSandbox(topUpId);
    const location = `${this.topUps.billingPage}?topUp=${encodeURIComponent(topUpId)}`;
    void reply.status(303).headers({ location, 'cache-control': 'no-store' });
  }
}
