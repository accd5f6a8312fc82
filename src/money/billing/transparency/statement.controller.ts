import { Controller, Get, Header, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { ApiFailures } from '#platform/openapi/docs';
import { sequenceIn } from '#platform/http/routes/page-query';
import { timeIn } from '#platform/http/routes/time-query';
import { Owners } from '../calls/owners';
import { LogProofs } from './log-proofs';
import { StatementAnswer, StatementQuery } from './transparency.dto';
import { BadStatementTime } from './transparency.errors';

const timeOf = (text: string | undefined, param: string, otherwise: Date): Date => {
  if (text === undefined) return otherwise;
  const time = timeIn(text);
  if (time === undefined) throw new BadStatementTime(param);
  return time;
};

/** An owner's statement for a range of time, with its proofs. */
@ApiTags('billing')
@ApiSecurity('apiKey')
@ApiSecurity('bearerKey')
@ApiSecurity('walletSignIn')
@Controller('v1/agent/statement')
export class StatementController {
  constructor(
    private readonly owners: Owners,
    private readonly proofs: LogProofs,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Your entries of a time, each with its proof. Free.',
    description:
      'All ledger entries and ends of charges that are sealed in the transparency log, in its order, with the balance ' +
      'before and after them. Each entry commits to the one before it, so none can be left out. An entry is sealed at ' +
      'most ten seconds after it was made. `lamppost verify statement` checks it.',
    operationId: 'getStatement',
  })
  @ApiOkResponse({ type: StatementAnswer })
  @ApiFailures(400, 401, 403, 429, 451)
  async statement(@Req() request: FastifyRequest, @Query() query: StatementQuery): Promise<StatementAnswer> {
    const { id } = await this.owners.wholeViewIn(request, 'read');
    const [from, to] = [timeOf(query.from, 'from', new Date(0)), timeOf(query.to, 'to', new Date())];
    if (from > to) throw new BadStatementTime('from');
    const page = await this.proofs.statement(id, { from, to }, sequenceIn(query.cursor) ?? -1n, query.limit);
    return { owner: id, ...page };
  }
}
