import { Body, Controller, Get, Put, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';

import type { Account } from '../accounts/account.entity';
import { SessionGuard, SignedIn } from '../accounts/session.guard';
import { ApiFailures } from '../platform/openapi/docs';
import { AlertsAnswer, AlertsBody } from './alerts.dto';
import { AlertsService } from './alerts.service';

/** What the signed-in account is warned of. */
@ApiTags('account')
@ApiSecurity('session')
@UseGuards(SessionGuard)
@Controller('v1/account/alerts')
export class AccountAlertsController {
  constructor(private readonly alerts: AlertsService) {}

  @Get()
  @ApiOperation({ summary: 'What you are warned of, and what stands.', operationId: 'getAccountAlerts' })
  @ApiOkResponse({ type: AlertsAnswer })
  @ApiFailures(401)
  show(@SignedIn() { id }: Account): Promise<AlertsAnswer> {
    return this.alerts.show(id);
  }

  @Put()
  @ApiOperation({
    summary: 'Say what you want to be warned of.',
    description:
      'Each alert is an event, and a webhook, once until it is over. What is left out is as by default.',
    operationId: 'setAccountAlerts',
  })
  @ApiOkResponse({ type: AlertsAnswer })
  @ApiFailures(400, 401, 403)
  set(@SignedIn() { id }: Account, @Body() body: AlertsBody): Promise<AlertsAnswer> {
    return this.alerts.set(id, body);
  }
}
