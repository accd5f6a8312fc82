import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';

import type { Acting } from '../accounts/acting';
import { ActingRoute, SignedIn } from '../accounts/session.guard';
import { viewOfSession } from '../keys/view';
import { CsvExports } from '../platform/http/answers/csv-exports';
import { ApiFailures } from '../platform/openapi/docs';
import { RequestHistogramAnswer, RequestsAnswer, RequestsPageQuery, RequestsQuery } from './requests.dto';
import { RequestsService, type Viewer } from './requests.service';

const viewerOf = (acting: Acting): Viewer => ({
  view: viewOfSession(acting),
  showsMembers: true,
});

/** The request log of the account. Developers see only their own calls, and the calls of keys that they made. */
@ApiTags('account')
@ActingRoute()
@Controller('v1/account')
export class AccountRequestsController {
  constructor(
    private readonly requests: RequestsService,
    private readonly exports: CsvExports,
  ) {}

  @Get('requests')
  @ApiOperation({
    summary: 'Every paid call, newest first, refused and failed ones included.',
    description:
      'Calls with a charge are complete. Of calls that were refused before any money was held, a bounded sample is kept for ' +
      '30 days; the histogram says how many there were. No prompt and no result is in the log.',
    operationId: 'listRequests',
  })
  @ApiOkResponse({ type: RequestsAnswer })
  @ApiFailures(400, 401, 429)
  list(
    @SignedIn() acting: Acting,
    @Query() { limit, cursor, ...filters }: RequestsPageQuery,
  ): Promise<RequestsAnswer> {
    return this.requests.page(viewerOf(acting), filters, limit, cursor);
  }

  @Get('requests/histogram')
  @ApiOperation({
    summary: 'The same calls, counted over time.',
    description: 'Without `from` and `to` it counts the last 24 hours.',
    operationId: 'countRequests',
  })
  @ApiOkResponse({ type: RequestHistogramAnswer })
  @ApiFailures(400, 401, 429)
  histogram(@SignedIn() acting: Acting, @Query() filters: RequestsQuery): Promise<RequestHistogramAnswer> {
    return this.requests.histogram(viewerOf(acting), filters);
  }

  @Get('requests.csv')
  @ApiOperation({
    summary: 'The same calls as a file for a spreadsheet, with the cost in USD.',
    description:
      'At most the newest 100,000 calls that match. A rare filter searches a part of the log: then the last line has ' +
      'OLDER_NOT_SEARCHED as its code, and the time up to which it was searched. One export at a time.',
    operationId: 'exportRequests',
  })
  @ApiProduces('text/csv')
  @ApiOkResponse({ content: { 'text/csv': { schema: { type: 'string' } } } })
  @ApiFailures(400, 401, 429)
  csv(@SignedIn() acting: Acting, @Query() filters: RequestsQuery): StreamableFile {
    const lines = this.requests.csv(viewerOf(acting), filters);
    return this.exports.file(acting.organisation.id, 'lamppost-requests.csv', lines);
  }
}
