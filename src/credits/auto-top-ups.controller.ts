import { Body, Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { DoneAnswer } from '../accounts/accounts.dto';
import type { Acting } from '../accounts/acting';
import { ActingRoute, SignedIn } from '../accounts/session.guard';
import { Audited } from '../organisations/audited';
import { HttpRoute } from '../platform/http/routes/route';
import { ApiFailures } from '../platform/openapi/docs';
import { AutoTopUpAnswer, AutoTopUpBody, CardPageAnswer } from './auto-top-ups.dto';
import { AutoTopUpsService } from './auto-top-ups.service';

const textOf = ({ enabled, belowUsd, amountUsd, monthUsd }: AutoTopUpBody): string =>
  enabled ? `on: $${amountUsd} below $${belowUsd}, at most $${monthUsd} a month` : 'off';

/** Top-ups by a saved card, without a person. */
@ApiTags('account')
@ActingRoute()
@Controller('v1/account/billing/auto-top-up')
export class AutoTopUpsController {
  constructor(private readonly autoTopUps: AutoTopUpsService) {}

  @Get()
  @ApiOperation({
    summary: 'Whether a saved card tops your balance up by itself.',
    operationId: 'getAutoTopUp',
  })
  @ApiOkResponse({ type: AutoTopUpAnswer })
  @ApiFailures(401)
  show(@SignedIn() { organisation }: Acting): Promise<AutoTopUpAnswer> {
    return this.autoTopUps.show(organisation.id);
  }

  @Put()
  @Audited('auto_top_up.changed', ({ body }: { body: AutoTopUpBody }) => ({ detail: textOf(body) }))
  @ApiOperation({
    summary: 'Charge the saved card when the balance is low, or stop that.',
    description:
      'For owners. The card is charged only while the person who saved it is an owner. Three failures, six hours apart at least, ' +
      'switch it off, and the alert `top_up.failed` warns of each state.',
    operationId: 'setAutoTopUp',
  })
  @ApiOkResponse({ type: AutoTopUpAnswer })
  @ApiFailures(400, 401, 404, 409)
  set(@SignedIn() { organisation }: Acting, @Body() body: AutoTopUpBody): Promise<AutoTopUpAnswer> {
    return this.autoTopUps.set(organisation.id, body);
  }

  @Post('card')
  @HttpRoute({ limit: 'topUp' })
  @Audited('card.opened')
  @ApiOperation({
    summary: 'Open a page on which you save a card.',
    description: 'The payment processor keeps the card. This service knows its brand and its last digits.',
    operationId: 'saveCard',
  })
  @ApiCreatedResponse({ type: CardPageAnswer })
  @ApiFailures(401, 404, 429, 503)
  async card(@SignedIn() acting: Acting): Promise<CardPageAnswer> {
    return { checkoutUrl: await this.autoTopUps.openCardPage(acting) };
  }

  @Delete('card')
  @Audited('card.removed')
  @ApiOperation({ summary: 'Remove the saved card, and stop automatic top-ups.', operationId: 'removeCard' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(401)
  async remove(@SignedIn() { organisation }: Acting): Promise<DoneAnswer> {
    await this.autoTopUps.removeCard(organisation.id);
    return { ok: true };
  }
}
