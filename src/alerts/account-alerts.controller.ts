import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import type { Acting } from '../accounts/acting';
import { ActingRoute, SignedIn } from '../accounts/session.guard';
import { Audited } from '../organisations/audited';
import { ApiFailures } from '../platform/openapi/docs';
import { AlertsAnswer, AlertsBody } from './alerts.dto';
import { AlertsService } from './alerts.service';

/** Shows the alerts of the organisation that a signed-in person acts for. */
@ApiTags('account')
@ActingRoute()
@Controller('v1/account/alerts')
export class AccountAlertsController {
  constructor(private readonly alerts: AlertsService) {}

  @Get()
  @ApiOperation({ summary: 'Your alert settings, and the active alerts.', operationId: 'getAccountAlerts' })
  @ApiOkResponse({ type: AlertsAnswer })
  @ApiFailures(401)
  show(@SignedIn() { organisation }: Acting): Promise<AlertsAnswer> {
    return this.alerts.show(organisation.id);
  }

  @Put()
  @Audited('alerts.changed')
  @ApiOperation({
    summary: 'Change your alert settings.',
    description:
      'Each alert is sent once, as an event and to webhooks, until its condition has ended. A field that is left ' +
      'out returns to its default.',
    operationId: 'setAccountAlerts',
  })
  @ApiOkResponse({ type: AlertsAnswer })
  @ApiFailures(400, 401, 403)
  set(@SignedIn() { organisation }: Acting, @Body() body: AlertsBody): Promise<AlertsAnswer> {
    return this.alerts.set(organisation.id, body);
  }
}
