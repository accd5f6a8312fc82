import { Body, Controller, Get, Header, Inject, Put, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { accountLinks } from '#people/accounts/account-links';
import { MissingCredentials } from '#money/billing/calls/refused-call.errors';
import { Owners } from '#money/billing/calls/owners';
import { ApiFailures, ApiOwner } from '#platform/openapi/docs';
import { AlertsAnswer, AlertsBody } from './alerts.dto';
import { AlertsService } from './alerts.service';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/**
 * The alerts of a wallet. An account has `/v1/account/alerts` instead, because a key must not be able to disable the
 * alerts of its account.
 */
@ApiTags('wallet')
@ApiOwner()
@Controller('v1/agent/alerts')
export class WalletAlertsController {
  constructor(
    private readonly alerts: AlertsService,
    private readonly owners: Owners,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Your alert settings, and the active alerts. Free.',
    operationId: 'getAlerts',
  })
  @ApiOkResponse({ type: AlertsAnswer })
  @ApiFailures(401, 403, 429, 451)
  async show(@Req() request: FastifyRequest): Promise<AlertsAnswer> {
    return this.alerts.show((await this.owners.wholeOwnerIn(request, 'read')).id);
  }

  @Put()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Change the alert settings of your wallet. Free.',
    description:
      'Each alert is sent once, as an event and to webhooks, until its condition has ended. A field that is left ' +
      'out returns to its default.',
    operationId: 'setAlerts',
  })
  @ApiOkResponse({ type: AlertsAnswer })
  @ApiFailures(400, 401, 403, 429, 451)
  async set(@Req() request: FastifyRequest, @Body() body: AlertsBody): Promise<AlertsAnswer> {
    return this.alerts.set(await this.walletIn(request), body);
  }

  private async walletIn(request: FastifyRequest): Promise<string> {
    const { id, payer } = await this.owners.wholeOwnerIn(request, 'read');
    if (payer.wallet !== undefined) return id;
    const { signIn } = accountLinks(this.settings.http.publicUrl);
    throw new MissingCredentials(
      "This needs a wallet's Sign-In-With-X. Accounts, when signed in, use /v1/account/alerts.",
      { links: { signIn } },
    );
  }
}
