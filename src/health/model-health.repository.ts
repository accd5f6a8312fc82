import { Injectable } from '@nestjs/common';

import { OPERATION } from '../billing/charges/operation';
import { firstIdAt } from '../kernel/ids';
import { present } from '../kernel/present';
import { Database } from '../platform/database/database';

export interface ModelHealthRow {
  readonly modelId: string;
  readonly kind: 'chat' | 'image' | 'video';
  /** Undefined for the whole stretch. */
  readonly at?: Date;
  readonly done: number;
  readonly failed: number;
  readonly medianSeconds?: number;
  readonly p95Seconds?: number;
}

/**
 * What became of the work, read from the charges and jobs themselves: nothing is counted twice, and nothing is lost
 * when a process ends. Left out is what says nothing about a model: work under way, payments that did not go through,
 * and completions that ended without a charge, which a reader who leaves looks like, too.
 */
const OUTCOMES = `
  select model_id, 'chat' as kind, created_at, state = 'charged' as done,
    extract(epoch from settled_at - created_at) as seconds
  from charge
  where id >= $1 and created_at >= $3 and model_id is not null
    and (operation = 'chat' and (state in ('charged', 'refunded') or state = 'released' and account_id is not null)
      or operation = '${OPERATION.byUse}' and state = 'charged')
  union all
  select model_id, kind, created_at, status = 'done', extract(epoch from finished_at - created_at)
  from job
  where id >= $2 and created_at >= $3 and status <> 'running' and error_code is distinct from 'UNPAID'`;

@Injectable()
export class ModelHealthRepository {
  constructor(private readonly db: Database) {}

  /** Each model since `from`: once for the whole stretch, and once for each step of it. */
  async since(from: Date, stepSeconds: number): Promise<ModelHealthRow[]> {
    const rows = await this.db.transaction(async (queries) => {
      await queries.rows(`set local statement_timeout = '10s'`);
      return queries.rows<{
        model_id: string;
        kind: ModelHealthRow['kind'];
        at: Date | null;
        done: number;
        failed: number;
        median: number | null;
        p95: number | null;
      }>(
        `select model_id, kind, at, count(*) filter (where done)::int as done,
           count(*) filter (where not done)::int as failed,
           (percentile_cont(0.5) within group (order by seconds) filter (where done))::float8 as median,
           (percentile_cont(0.95) within group (order by seconds) filter (where done))::float8 as p95
         from (select *, date_bin(make_interval(secs => $4), created_at, $3) as at from (${OUTCOMES}) outcome) step
         group by grouping sets ((model_id, kind), (model_id, kind, at))
         order by model_id, at`,
        [firstIdAt('ch', from.getTime()), firstIdAt('job', from.getTime()), from, stepSeconds],
        'model-health',
      );
    });
    return rows.map((row) => ({
      modelId: row.model_id,
      kind: row.kind,
      at: present(row.at),
      done: row.done,
      failed: row.failed,
      medianSeconds: present(row.median),
      p95Seconds: present(row.p95),
    }));
  }
}
