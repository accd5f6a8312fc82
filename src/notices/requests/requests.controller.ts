import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { EVERY_ROLE } from '#people/accounts/roles';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { viewOfSession } from '#people/keys/visible-rows';
import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { CsvExports } from '#platform/http/answers/csv-exports';
import { RequestHistogramAnswer, RequestsAnswer, RequestsPageQuery, RequestsQuery } from './requests.dto';
import { RequestsService, type Viewer } from './requests.service';
import { CSV_LINES_MAX } from './requests-csv';

const viewerOf = (acting: Acting): Viewer => ({
  view: viewOfSession(acting),
  showsMembers: true,
});

/**
 * The request log, for a signed-in person and for keys and wallets. Developers see only their own calls, and the calls
 * of keys that they made.
 */
@Controller('v1')
export class RequestsController {
  constructor(
    private readonly requests: RequestsService,
    private readonly exports: CsvExports,
  ) {}

  @Get('account/requests')
  @ApiTags('account')
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'Every paid call, newest first, refused and failed ones included.',
    description:
      'Calls with a charge are complete. Of calls that were refused before any money was held, a bounded sample is kept for ' +
      '30 days; the histogram says how many there were. No prompt and no result is in the log.',
    operationId: 'listRequests',
    answer: RequestsAnswer,
    failures: [400, 401, 429],
  })
  list(
    @SignedIn() acting: Acting,
    @Query() { limit, cursor, ...filters }: RequestsPageQuery,
  ): Promise<RequestsAnswer> {
    return this.requests.page(viewerOf(acting), filters, limit, cursor);
  }

  @Get('account/requests/histogram')
  @ApiTags('account')
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'The same calls, counted over time.',
    description: 'Without `from` and `to` it counts the last 24 hours.',
    operationId: 'countRequests',
    answer: RequestHistogramAnswer,
    failures: [400, 401, 429],
  })
  histogram(@SignedIn() acting: Acting, @Query() filters: RequestsQuery): Promise<RequestHistogramAnswer> {
    return this.requests.histogram(viewerOf(acting), filters);
  }

  @Get('account/requests.csv')
  @ApiTags('account')
  @AccountRoute({
    who: EVERY_ROLE,
    summary: 'The same calls as a file for a spreadsheet, with the cost in USD.',
    description:
      `At most the newest ${CSV_LINES_MAX.toLocaleString('en')} calls that match. A rare filter searches a part of the log: then the last line has ` +
      'OLDER_NOT_SEARCHED as its code, and the time up to which it was searched. One export at a time.',
    operationId: 'exportRequests',
    answer: 'csv',
    failures: [400, 401, 429],
  })
  csv(@SignedIn() acting: Acting, @Query() filters: RequestsQuery): StreamableFile {
    const lines = this.requests.csv(viewerOf(acting), filters);
    return this.exports.file(acting.organisation.id, 'lamppost-requests.csv', lines);
  }

  @Get('agent/requests')
  @ApiTags('billing')
  @OwnerRoute({
    scope: 'read',
    counts: 'address',
    summary: 'Your paid calls, newest first, refused and failed ones included. Free.',
    description: 'The log of `GET /v1/account/requests`, without the names of members.',
    operationId: 'listOwnRequests',
    answer: RequestsAnswer,
    failures: [400],
  })
  listOwn(
    @Owner() { view }: ProvenOwner,
    @Query() { limit, cursor, ...filters }: RequestsPageQuery,
  ): Promise<RequestsAnswer> {
    return this.requests.page({ view, showsMembers: false }, filters, limit, cursor);
  }
}
