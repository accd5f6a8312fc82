import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { sequenceIn } from '#platform/http/routes/page-query';
import { timeIn } from '#platform/http/routes/time-query';
import { OwnerRoute } from '../calls/owner-route';
import { Owner } from '../calls/owner.guard';
import type { ProvenOwner } from '../calls/owners';
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
@Controller('v1/agent/statement')
export class StatementController {
  constructor(private readonly proofs: LogProofs) {}

  @Get()
  @OwnerRoute({
    scope: 'read',
    sees: 'everything',
    counts: 'address',
    summary: 'Your entries of a time, each with its proof. Free.',
    description:
      'All ledger entries and ends of charges that are sealed in the transparency log, in its order, with the balance ' +
      'before and after them. Each entry commits to the one before it, so none can be left out. An entry is sealed at ' +
      'most ten seconds after it was made. `lamppost verify statement` checks it.',
    operationId: 'getStatement',
    answer: StatementAnswer,
    failures: [400],
  })
  async statement(@Owner() { id }: ProvenOwner, @Query() query: StatementQuery): Promise<StatementAnswer> {
    const [from, to] = [timeOf(query.from, 'from', new Date(0)), timeOf(query.to, 'to', new Date())];
    if (from > to) throw new BadStatementTime('from');
    const page = await this.proofs.statement(id, { from, to }, sequenceIn(query.cursor) ?? -1n, query.limit);
    return { owner: id, ...page };
  }
}
