import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { EVERY_ROLE, PAYERS } from '#people/accounts/roles';
import { audited } from '#people/accounts/audit/audited';
import { ALERTS_CHANGED } from './alerts.audit';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { AlertsAnswer, AlertsBody } from './alerts.dto';
import { AlertsService } from './alerts.service';

/** Shows the alerts of the organisation that a signed-in person acts for. */
@ApiTags('account')
@Controller('v1/account/alerts')
export class AccountAlertsController {
  constructor(private readonly alerts: AlertsService) {}

  @Get()
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'Your alert settings, and the active alerts.',
    operationId: 'getAccountAlerts',
    answer: AlertsAnswer,
    failures: [401],
  })
  show(@SignedIn() { organisation }: Acting): Promise<AlertsAnswer> {
    return this.alerts.show(organisation.id);
  }

  @Put()
  @AccountRoute({
    who: PAYERS,
    audit: audited(ALERTS_CHANGED),
    summary: 'Change your alert settings.',
    description:
      'Each alert is sent once, as an event and to webhooks, until its condition has ended. A field that is left ' +
      'out returns to its default.',
    operationId: 'setAccountAlerts',
    answer: AlertsAnswer,
    failures: [400, 401, 403],
  })
  set(@SignedIn() { organisation }: Acting, @Body() body: AlertsBody): Promise<AlertsAnswer> {
    return this.alerts.set(organisation.id, body);
  }
}
