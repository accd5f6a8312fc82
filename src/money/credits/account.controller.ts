import { Body, Controller, Get, Post, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { EVERY_ROLE, PAYERS } from '#people/accounts/roles';
import { audited } from '#people/accounts/audit/audited';
import { TOP_UP_OPENED } from './credits.audit';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { callerKeyOf } from '#money/billing/calls/earlier-calls';
import { ApiIdempotencyKey } from '#platform/http/routes/idempotency-key';
import { viewOfSession } from '#people/keys/visible-rows';
import { CsvExports } from '#platform/http/answers/csv-exports';
import {
  AccountAnswer,
  CreditTopUpAnswer,
  CreditTopUpBody,
  CreditTransactionsAnswer,
  UsageAnswer,
  TransactionKindQuery,
  TransactionsQuery,
  UsageQuery,
} from './credits.dto';
import { CreditsService } from './credits.service';
import { TopUpsService } from './top-ups.service';

/** The signed-in account's money. */
@ApiTags('account')
@Controller('v1/account')
export class AccountController {
  constructor(
    private readonly credits: CreditsService,
    private readonly topUps: TopUpsService,
    private readonly exports: CsvExports,
  ) {}

  @Get()
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'The signed-in person, and the balance.',
    operationId: 'getAccount',
    answer: AccountAnswer,
    failures: [401],
  })
  account(@SignedIn() acting: Acting): Promise<AccountAnswer> {
    return this.credits.account(acting);
  }

  @Post('billing/top-up')
  @AccountRoute({
    who: PAYERS,
    needsProof: true,
    limit: 'topUp',
    audit: audited(TOP_UP_OPENED, ({ body }: { body: CreditTopUpBody }) => ({ detail: String(body.usd) })),
    summary: 'Open a checkout that buys credits.',
    operationId: 'topUpCredits',
    status: 201,
    answer: CreditTopUpAnswer,
    failures: [400, 401, 403, 422, 429, 503],
  })
  @ApiIdempotencyKey('Your idempotency key: the same key gets the same checkout again.')
  topUp(
    @SignedIn() acting: Acting,
    @Body() body: CreditTopUpBody,
    @Req() request: FastifyRequest,
  ): Promise<CreditTopUpAnswer> {
    return this.topUps.open(acting, body.usd, callerKeyOf({ request }));
  }

  @Get('billing/transactions')
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'All credit transactions, newest first.',
    operationId: 'listTransactions',
    answer: CreditTransactionsAnswer,
    failures: [400, 401],
  })
  transactions(
    @SignedIn() acting: Acting,
    @Query() { limit, cursor, kind }: TransactionsQuery,
  ): Promise<CreditTransactionsAnswer> {
    return this.credits.transactions(viewOfSession(acting), limit, cursor, kind);
  }

  @Get('billing/transactions.csv')
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'The same as a file for a spreadsheet.',
    operationId: 'exportTransactions',
    answer: 'csv',
    failures: [400, 401, 429],
  })
  transactionsCsv(@SignedIn() acting: Acting, @Query() { kind }: TransactionKindQuery): StreamableFile {
    const lines = this.credits.transactionsCsv(viewOfSession(acting), kind);
    return this.exports.file(acting.organisation.id, 'lamppost-transactions.csv', lines);
  }

  @Get('usage')
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'The spending by day, model and key.',
    operationId: 'getUsage',
    answer: UsageAnswer,
    failures: [400, 401],
  })
  usage(@SignedIn() acting: Acting, @Query() { from, to }: UsageQuery): Promise<UsageAnswer> {
    return this.credits.usage(acting.organisation.id, from, to);
  }
}
