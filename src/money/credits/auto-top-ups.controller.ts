import { Body, Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { OWNERS, PAYERS } from '#people/accounts/roles';
import { audited } from '#people/accounts/audit/audited';
import { AUTO_TOP_UP_CHANGED, CARD_OPENED, CARD_REMOVED } from './credits.audit';
import { DoneAnswer } from '#people/accounts/accounts.dto';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { AutoTopUpAnswer, AutoTopUpBody, CardPageAnswer } from './auto-top-ups.dto';
import { AutoTopUpsService } from './auto-top-ups.service';

const textOf = ({ enabled, belowUsd, amountUsd, monthUsd }: AutoTopUpBody): string =>
  enabled ? `on: $${amountUsd} below $${belowUsd}, at most $${monthUsd} a month` : 'off';

/** Top-ups by a saved card, without a person. */
@ApiTags('account')
@Controller('v1/account/billing/auto-top-up')
export class AutoTopUpsController {
  constructor(private readonly autoTopUps: AutoTopUpsService) {}

  @Get()
  @AccountRoute({
    who: PAYERS,
    summary: 'Whether a saved card tops your balance up by itself.',
    operationId: 'getAutoTopUp',
    answer: AutoTopUpAnswer,
    failures: [401],
  })
  show(@SignedIn() { organisation }: Acting): Promise<AutoTopUpAnswer> {
    return this.autoTopUps.show(organisation.id);
  }

  @Put()
  @AccountRoute({
    who: OWNERS,
    needsProof: true,
    audit: audited(AUTO_TOP_UP_CHANGED, ({ body }: { body: AutoTopUpBody }) => ({ detail: textOf(body) })),
    summary: 'Charge the saved card when the balance is low, or stop that.',
    description:
      'For owners. The card is charged only while the person who saved it is an owner. Three failures, six hours apart at least, ' +
      'switch it off, and the alert `top_up.failed` warns of each state.',
    operationId: 'setAutoTopUp',
    answer: AutoTopUpAnswer,
    failures: [400, 401, 404, 409],
  })
  set(@SignedIn() { organisation }: Acting, @Body() body: AutoTopUpBody): Promise<AutoTopUpAnswer> {
    return this.autoTopUps.set(organisation.id, body);
  }

  @Post('card')
  @AccountRoute({
    who: OWNERS,
    needsProof: true,
    limit: 'topUp',
    audit: audited(CARD_OPENED),
    summary: 'Open a page on which you save a card.',
    description: 'The payment processor keeps the card. This service knows its brand and its last digits.',
    operationId: 'saveCard',
    status: 201,
    answer: CardPageAnswer,
    failures: [401, 404, 429, 503],
  })
  async card(@SignedIn() acting: Acting): Promise<CardPageAnswer> {
    return { checkoutUrl: await this.autoTopUps.openCardPage(acting) };
  }

  @Delete('card')
  @AccountRoute({
    who: OWNERS,
    audit: audited(CARD_REMOVED),
    summary: 'Remove the saved card, and stop automatic top-ups.',
    operationId: 'removeCard',
    answer: DoneAnswer,
    failures: [401],
  })
  async remove(@SignedIn() { organisation }: Acting): Promise<DoneAnswer> {
    await this.autoTopUps.removeCard(organisation.id);
    return { ok: true };
  }
}
