import { Injectable, Logger } from '@nestjs/common';

import { Clock } from '#kernel/clock';
import { InvalidRequest } from '#kernel/app-error';
import { csvLine } from '#kernel/csv';
import { micro, microToJson } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { type SessionCost, SessionCostRepository } from './session-cost.repository';
import { type View, isWholeView } from '#people/keys/visible-rows';
import { refuseLongPeriod, timeIn } from '#platform/http/routes/time-query';
import type { RequestAnswer, RequestHistogramAnswer, RequestsAnswer, RequestsQuery } from './requests.dto';
import {
  type LoggedCall,
  type LogPosition,
  type RequestFilter,
  RequestLogRepository,
} from './request-log.repository';
import {
  CSV_PAGE,
  CSV_LINES_MAX,
  CSV_READS_MAX,
  CSV_COLUMNS,
  notSearchedLine,
  requestLine,
} from './requests-csv';

const DAY_MS = 86_400_000;
const BUCKETS = 48;

/** The caller, with the calls that they may see. */
export interface Viewer {
  readonly view: View;
  /** Whether the names of members are shown. */
  readonly showsMembers: boolean;
}

/** The log of an owner's paid calls. */
@Injectable()
export class RequestsService {
  private readonly logger = new Logger(RequestsService.name);

  constructor(
    private readonly log: RequestLogRepository,
    private readonly sessions: SessionCostRepository,
    private readonly clock: Clock,
  ) {}

  async page(
    viewer: Viewer,
    filters: RequestsQuery,
    limit: number,
    cursor?: string,
  ): Promise<RequestsAnswer> {
    const { calls, until } = await this.log.page(filterOf(viewer, filters), limit, positionIn(cursor));
    const named = new Set(calls.flatMap(({ session }) => session ?? []));
    const sessions = await this.costs(viewer.view, [...named]);
    return {
      requests: calls.map((call) => ({
        ...answerOf(call, viewer),
        session: ifPresent(call.session, (id) => sessionAnswer(id, sessions)),
      })),
      nextCursor: until === undefined ? null : `${until.at}.${until.id}`,
      lookedBackTo: until === undefined ? null : new Date(Number(BigInt(until.at) / 1_000n)).toISOString(),
    };
  }

  /** Undefined if the sums fail, because the page is useful without them. */
  private async costs(view: View, sessions: readonly string[]): Promise<SessionCosts | undefined> {
    try {
      return await this.sessions.of(view, sessions);
    } catch (error) {
      this.logger.warn({ err: error }, 'A page of the request log has no sums of its sessions.');
      return undefined;
    }
  }

  /** Yields page by page, so that a long file is never completely in memory. */
  csv(viewer: Viewer, filters: RequestsQuery): AsyncGenerator<string> {
    // The filter is checked before the answer begins, so that a bad filter gets a 400.
    return this.linesOf(viewer, filterOf(viewer, filters));
  }

  private async *linesOf(viewer: Viewer, filter: RequestFilter): AsyncGenerator<string> {
    yield csvLine(CSV_COLUMNS);
    let before: LogPosition | undefined;
    let left = CSV_LINES_MAX;
    for (let reads = 0; left > 0 && reads < CSV_READS_MAX; reads += 1) {
      const { calls, until } = await this.log.page(filter, Math.min(left, CSV_PAGE), before);
      yield calls.map((call) => requestLine(call, viewer)).join('');
      if (until === undefined) return;
      left -= calls.length;
      before = until;
    }
    if (left > 0 && before !== undefined) yield notSearchedLine(before);
  }

  async histogram(viewer: Viewer, filters: RequestsQuery): Promise<RequestHistogramAnswer> {
    const filter = filterOf(viewer, filters);
    const to = filter.to ?? this.clock.now();
    const from = filter.from ?? new Date(to.getTime() - DAY_MS);
    if (from >= to) throw new InvalidRequest('from must be before to.', { param: 'from' });
    refuseLongPeriod(from.getTime(), to.getTime());
    const length = Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 1_000 / BUCKETS));
    const [{ counts, since }, refusals] = await Promise.all([
      this.log.histogram({ ...filter, from, to }, length),
      isWholeView(viewer.view) ? this.log.refusals(viewer.view.owner, from, to) : null,
    ]);
    const buckets = Array.from({ length: BUCKETS }, (_, at) => ({
      at: new Date(from.getTime() + at * length * 1_000).toISOString(),
      ok: 0,
      running: 0,
      failed: 0,
      refused: 0,
    }));
    for (const { bucket, status, calls } of counts) {
      const found = buckets[bucket];
      if (found !== undefined) found[status === 'refunded' ? 'failed' : status] += calls;
    }
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      bucketSeconds: length,
      buckets,
      countedSince: since?.toISOString() ?? null,
      refusals,
    };
  }
}

const timeOf = (text: string | undefined, param: string): Date | undefined => {
  if (text === undefined) return undefined;
  const time = timeIn(text);
  if (time === undefined)
    throw new InvalidRequest(`${param} must be a time such as 2026-01-31T00:00:00Z.`, { param });
  return time;
};

const filterOf = ({ view }: Viewer, { from, to, ...filters }: RequestsQuery): RequestFilter => ({
  keyId: filters.keyId,
  modelId: filters.modelId,
  member: filters.member,
  tag: filters.tag,
  session: filters.session,
  status: filters.status,
  code: filters.code,
  from: timeOf(from, 'from'),
  to: timeOf(to, 'to'),
  ...view,
});

const CURSOR = /^(\d{1,16})\.([a-z]{2}_[\w-]{1,40})$/;

const positionIn = (cursor: string | undefined): LogPosition | undefined => {
  if (cursor === undefined) return undefined;
  const [, at, id] = CURSOR.exec(cursor) ?? [];
  if (at === undefined || id === undefined)
    throw new InvalidRequest('cursor must be the nextCursor of an earlier page.', { param: 'cursor' });
  return { at, id };
};

type SessionCosts = ReadonlyMap<string, SessionCost>;

const sessionAnswer = (id: string, costs?: SessionCosts): RequestAnswer['session'] => {
  if (costs === undefined) return { id };
  const { calls, cost } = costs.get(id) ?? { calls: 0, cost: micro(0n) };
  return { id, calls, costMicro: microToJson(cost) };
};

const answerOf = (call: LoggedCall, { showsMembers }: Viewer): RequestAnswer => ({
  id: call.id,
  at: call.time.toISOString(),
  status: call.status,
  httpStatus: call.httpStatus,
  code: call.code,
  operation: call.operation,
  route: call.route,
  modelId: call.modelId,
  key: ifPresent(call.keyId, (id) => ({ id, name: call.keyName })),
  member: showsMembers ? ifPresent(call.memberId, (id) => ({ id, email: call.memberEmail })) : undefined,
  tag: call.tag,
  rail: call.rail,
  costMicro: microToJson(call.cost),
  ms: call.ms,
  tokens: ifPresent(call.inputTokens, (input) => ({ input, output: call.outputTokens ?? 0 })),
  medium: call.medium,
  attempts: call.attempts,
  chargeId: call.chargeId,
  jobId: call.jobId,
});
