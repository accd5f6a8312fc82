import { Body, Controller, Get, Post, Query, Req, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import type { Acting } from '../accounts/acting';
import { ActingRoute, SignedIn } from '../accounts/session.guard';
import { callerKeyOf } from '../billing/calls/earlier-calls';
import { Audited } from '../organisations/audited';
import { ApiIdempotencyKey } from '../platform/http/routes/idempotency-key';
import { HttpRoute } from '../platform/http/routes/route';
import { viewOfSession } from '../keys/view';
import { CsvExports } from '../platform/http/answers/csv-exports';
import { ApiFailures } from '../platform/openapi/docs';
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
@ActingRoute()
@Controller('v1/account')
export class AccountController {
  constructor(
    private readonly credits: CreditsService,
    private readonly topUps: TopUpsService,
    private readonly exports: CsvExports,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The signed-in person, and the balance.', operationId: 'getAccount' })
  @ApiOkResponse({ type: AccountAnswer })
  @ApiFailures(401)
  account(@SignedIn() acting: Acting): Promise<AccountAnswer> {
    return this.credits.account(acting);
  }

  @Post('billing/top-up')
  @Audited('top_up.opened', ({ body }: { body: CreditTopUpBody }) => ({ detail: String(body.usd) }))
  @HttpRoute({ limit: 'topUp' })
  @ApiOperation({ summary: 'Open a checkout that buys credits.', operationId: 'topUpCredits' })
  @ApiIdempotencyKey('Your idempotency key: the same key gets the same checkout again.')
  @ApiCreatedResponse({ type: CreditTopUpAnswer })
  @ApiFailures(400, 401, 403, 422, 429, 503)
  topUp(
    @SignedIn() acting: Acting,
    @Body() body: CreditTopUpBody,
    @Req() request: FastifyRequest,
  ): Promise<CreditTopUpAnswer> {
    return this.topUps.open(acting, body.usd, callerKeyOf({ request }));
  }

  @Get('billing/transactions')
  @ApiOperation({ summary: 'All credit transactions, newest first.', operationId: 'listTransactions' })
  @ApiOkResponse({ type: CreditTransactionsAnswer })
  @ApiFailures(400, 401)
  transactions(
    @SignedIn() acting: Acting,
    @Query() { limit, cursor, kind }: TransactionsQuery,
  ): Promise<CreditTransactionsAnswer> {
    return this.credits.transactions(viewOfSession(acting), limit, cursor, kind);
  }

  @Get('billing/transactions.csv')
  @ApiOperation({ summary: 'The same as a file for a spreadsheet.', operationId: 'exportTransactions' })
  @ApiProduces('text/csv')
  @ApiOkResponse({ content: { 'text/csv': { schema: { type: 'string' } } } })
  @ApiFailures(400, 401, 429)
  transactionsCsv(@SignedIn() acting: Acting, @Query() { kind }: TransactionKindQuery): StreamableFile {
    const lines = this.credits.transactionsCsv(viewOfSession(acting), kind);
    return this.exports.file(acting.organisation.id, 'lamppost-transactions.csv', lines);
  }

  @Get('usage')
  @ApiOperation({ summary: 'The spending by day, model and key.', operationId: 'getUsage' })
  @ApiOkResponse({ type: UsageAnswer })
  @ApiFailures(400, 401)
  usage(@SignedIn() acting: Acting, @Query() { from, to }: UsageQuery): Promise<UsageAnswer> {
    return this.credits.usage(acting.organisation.id, from, to);
  }
}
