import { Body, Controller, Get, Inject, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { accountLinks } from '#people/accounts/account-links';
import { MissingCredentials } from '#money/billing/calls/refused-call.errors';
import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { AlertsAnswer, AlertsBody } from './alerts.dto';
import { AlertsService } from './alerts.service';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const OWN = { scope: 'read', sees: 'whole', counts: 'address' } as const;

/**
 * The alerts of a wallet. An account has `/v1/account/alerts` instead, because a key must not be able to disable the
 * alerts of its account.
 */
@ApiTags('wallet')
@Controller('v1/agent/alerts')
export class WalletAlertsController {
  constructor(
    private readonly alerts: AlertsService,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  @Get()
  @OwnerRoute({
    ...OWN,
    summary: 'Your alert settings, and the active alerts. Free.',
    operationId: 'getAlerts',
    answer: AlertsAnswer,
  })
  show(@Owner() { id }: ProvenOwner): Promise<AlertsAnswer> {
    return this.alerts.show(id);
  }

  @Put()
  @OwnerRoute({
    ...OWN,
    summary: 'Change the alert settings of your wallet. Free.',
    description:
      'Each alert is sent once, as an event and to webhooks, until its condition has ended. A field that is left ' +
      'out returns to its default.',
    operationId: 'setAlerts',
    answer: AlertsAnswer,
    failures: [400],
  })
  async set(@Owner() { id, payer }: ProvenOwner, @Body() body: AlertsBody): Promise<AlertsAnswer> {
    if (payer.wallet !== undefined) return this.alerts.set(id, body);
    const { signIn } = accountLinks(this.settings.http.publicUrl);
    throw new MissingCredentials(
      "This needs a wallet's Sign-In-With-X. Accounts, when signed in, use /v1/account/alerts.",
      { links: { signIn } },
    );
  }
}
