import { Body, Controller, Get, Inject, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { accountLinks } from '#people/accounts/account-links';
import type { Acting } from '#people/accounts/acting-person';
import { audited } from '#people/accounts/audit/audited';
import { EVERY_ROLE, PAYERS } from '#people/accounts/roles';
import { AccountRoute } from '#people/accounts/routes/account-route';
import { SignedIn } from '#people/accounts/session.guard';
import { MissingCredentials } from '#money/billing/calls/refused-call.errors';
import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { ALERTS_CHANGED } from './alerts.audit';
import { AlertsAnswer, AlertsBody } from './alerts.dto';
import { AlertsService } from './alerts.service';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

const OWN = { scope: 'read', sees: 'whole', counts: 'address' } as const;

const CHANGE =
  'Each alert is sent once, as an event and to webhooks, until its condition has ended. A field that is left ' +
  'out returns to its default.';

/**
 * The alerts of an account, for a signed-in person, and those of a wallet. A key reads the alerts of its account. It
 * must not be able to disable them, so only a person changes them.
 */
@Controller('v1')
export class AlertsController {
  constructor(
    private readonly alerts: AlertsService,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  @Get('account/alerts')
  @ApiTags('account')
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'Your alert settings, and the active alerts.',
    operationId: 'getAccountAlerts',
    answer: AlertsAnswer,
    failures: [401],
  })
  ofAccount(@SignedIn() { organisation }: Acting): Promise<AlertsAnswer> {
    return this.alerts.show(organisation.id);
  }

  @Put('account/alerts')
  @ApiTags('account')
  @AccountRoute({
    who: PAYERS,
    audit: audited(ALERTS_CHANGED),
    summary: 'Change your alert settings.',
    description: CHANGE,
    operationId: 'setAccountAlerts',
    answer: AlertsAnswer,
    failures: [400, 401, 403],
  })
  setOfAccount(@SignedIn() { organisation }: Acting, @Body() body: AlertsBody): Promise<AlertsAnswer> {
    return this.alerts.set(organisation.id, body);
  }

  @Get('agent/alerts')
  @ApiTags('wallet')
  @OwnerRoute({
    ...OWN,
    summary: 'Your alert settings, and the active alerts. Free.',
    operationId: 'getAlerts',
    answer: AlertsAnswer,
  })
  ofOwner(@Owner() { id }: ProvenOwner): Promise<AlertsAnswer> {
    return this.alerts.show(id);
  }

  @Put('agent/alerts')
  @ApiTags('wallet')
  @OwnerRoute({
    ...OWN,
    summary: 'Change the alert settings of your wallet. Free.',
    description: CHANGE,
    operationId: 'setAlerts',
    answer: AlertsAnswer,
    failures: [400],
  })
  async setOfWallet(@Owner() { id, payer }: ProvenOwner, @Body() body: AlertsBody): Promise<AlertsAnswer> {
    if (payer.wallet !== undefined) return this.alerts.set(id, body);
    const { signIn } = accountLinks(this.settings.http.publicUrl);
    throw new MissingCredentials(
      "This needs a wallet's Sign-In-With-X. Accounts, when signed in, use /v1/account/alerts.",
      { links: { signIn } },
    );
  }
}
