import { Injectable } from '@nestjs/common';

import { firstIdAt } from '#kernel/ids';
import { Database, type Queries } from '#platform/database/database';
import { type DurationBucket, quantileOf } from './durations';
import { IS_DUE, SweepPauses, dueSince, joinPauses } from '#platform/queue/sweep-pause.repository';
import { deletedRows } from '#platform/queue/sweep-rows.repository';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { groupBy } from '#kernel/maps';
import { COUNTED_OUTCOMES } from './counted-outcomes.sql';
import { HOURS_KEPT, HOUR_ADDED_AFTER, HOUR_FINAL_AFTER, LONGER_THAN_WINDOWS_MS } from './status-windows';

const HOUR_MS = 3_600_000;
/**
 * The most by which clocks may differ. Ids begin with the time of a process, but `created_at` is the time of the
 * database.
 */
const CLOCKS_APART_MS = 600_000;

export interface ModelHealthRow {
  readonly modelId: string;
  readonly kind: 'chat' | 'image' | 'video';
  /** The begin of the step; undefined if the row is about the whole window. */
  readonly at?: Date;
  readonly done: number;
  readonly failed: number;
  readonly medianSeconds?: number;
  readonly p95Seconds?: number;
}

interface Counted {
  readonly model_id: string;
  readonly kind: ModelHealthRow['kind'];
  readonly at: Date;
  readonly bucket: number;
  readonly done: number;
  readonly failed: number;
}

const between = (from: Date, to: Date): unknown[] => [
  firstIdAt('ch', from.getTime()),
  firstIdAt('job', from.getTime()),
  from,
  to,
  firstIdAt('ch', to.getTime() + CLOCKS_APART_MS),
  firstIdAt('job', to.getTime() + CLOCKS_APART_MS),
];

export const OLD_HOURS = deletedRows({
  step: 'old-model-hours',
  table: 'model_hour',
  key: 'at, model_id, kind, bucket',
  due: `at < now() - interval '${HOURS_KEPT}'`,
});

const UNFINISHED_HOURS = 'unfinished-hours';

@Injectable()
export class ModelHealthRepository {
  constructor(
    private readonly db: Database,
    private readonly pauses: SweepPauses,
  ) {}

  /**
   * The health of each model since `from`, which must be a whole hour. Each model has one row for the whole window, and
   * one for each step.
   */
  async since(from: Date, stepSeconds: number): Promise<ModelHealthRow[]> {
    const rows = await this.db.longTransaction(10, async (queries) => {
      const added = await queries.one<{ through: Date | null }>(
        `select max(at) + interval '1 hour' as through from model_hour`,
        [],
        'model-hours-through',
      );
      const live = new Date(Math.max(from.getTime(), added?.through?.getTime() ?? 0));
      return [
        ...(await queries.rows<Counted>(
          `select date_bin(make_interval(secs => $2), at, $1) as at, model_id, kind, bucket,
             sum(done)::int as done, sum(failed)::int as failed
           from model_hour where at >= $1 and at < $3 and model_id <> '' group by 1, 2, 3, 4`,
          [from, stepSeconds, live],
          'model-hours-since',
        )),
        ...(await queries.rows<Counted>(
          `select date_bin(make_interval(secs => $8), at, $7) as at, model_id, kind, bucket,
             sum(done)::int as done, sum(failed)::int as failed
           from (${COUNTED_OUTCOMES}) counted group by 1, 2, 3, 4`,
          [...between(live, new Date(live.getTime() + LONGER_THAN_WINDOWS_MS)), from, stepSeconds],
          'model-health',
        )),
      ];
    });
    return [...summed(rows, () => undefined), ...summed(rows, ({ at }) => at)];
  }

  /** Adds up the next hour. Returns false if there is none. */
  addHour(): Promise<boolean> {
    return this.db.longTransaction(10, async (queries) => {
      await queries.rows(
        `select pg_advisory_xact_lock(hashtext('lamppost model hours'))`,
        [],
        'model-hours-turn',
      );
      const next = await queries.one<{ at: Date }>(
        `select at from (
           select date_trunc('hour', min(created_at), 'UTC') as at from (
             (select created_at from charge where id >= $1 and created_at >= $3 order by id limit 1)
             union all
             (select created_at from job where id >= $2 and created_at >= $3 order by id limit 1)) first
         ) hour where at < now() - interval '${HOUR_ADDED_AFTER}' - interval '1 hour'`,
        await this.afterLast(queries),
        'model-hours-next',
      );
      if (next === undefined) return false;
      const rows = await this.add(queries, next.at, false);
      // This row marks that the hour was added up. It is about no model.
      if (rows === 0)
        await queries.rows(
          `insert into model_hour (at, model_id, kind, bucket, done, failed, is_final)
           values ($1, '', '', 0, 0, 0, true)`,
          [next.at],
          'model-hours-none',
        );
      return true;
    });
  }

  /**
   * Adds up an hour again after all its work has ended. Returns false if there is no such hour. An hour that fails is
   * tried again later.
   */
  async finishHour(): Promise<boolean> {
    const open = await this.db.one<{ at: Date; id: string }>(
      `select at, at::text as id from model_hour ${joinPauses(UNFINISHED_HOURS, 'model_hour.at::text')}
       where not is_final and at < now() - interval '${HOUR_FINAL_AFTER}' and ${IS_DUE}
       order by ${dueSince('at')} limit 1`,
      [],
      'model-hours-open',
    );
    if (open === undefined) {
      await this.pauses.ended(UNFINISHED_HOURS);
      return false;
    }
    try {
      await this.db.longTransaction(10, async (queries) => {
        await queries.rows('delete from model_hour where at = $1', [open.at], 'model-hours-clear');
        await this.add(queries, open.at, true);
      });
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      await this.pauses.failed(UNFINISHED_HOURS, open.id);
    }
    return true;
  }

  private async afterLast(queries: Queries): Promise<unknown[]> {
    const row = await queries.one<{ from: Date }>(
      `select greatest(max(at) + interval '1 hour', date_trunc('hour', now() - interval '${HOURS_KEPT}', 'UTC')) as from
       from model_hour`,
      [],
      'model-hours-last',
    );
    return between(row!.from, row!.from).slice(0, 3);
  }

  private async add(queries: Queries, at: Date, isFinal: boolean): Promise<number> {
    const rows = await queries.rows(
      `insert into model_hour (at, model_id, kind, bucket, done, failed, is_final)
       select at, model_id, kind, coalesce(bucket, 0), sum(done), sum(failed), $7 from (${COUNTED_OUTCOMES}) counted
       group by 1, 2, 3, 4
       on conflict do nothing returning 1`,
      [...between(at, new Date(at.getTime() + HOUR_MS)), isFinal],
      'model-hours-add',
    );
    return rows.length;
  }
}

/** Groups the rows by model and time. */
const summed = (
  rows: readonly Counted[],
  stepOf: (row: Counted) => Date | undefined,
): readonly ModelHealthRow[] => {
  const keyOf = (row: Counted): string => `${row.model_id}\n${row.kind}\n${stepOf(row)?.toISOString() ?? ''}`;
  return [...groupBy(rows, keyOf)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => {
      const buckets = group.map(({ bucket, done }): DurationBucket => ({ bucket, count: done }));
      const [first] = group;
      return {
        modelId: first!.model_id,
        kind: first!.kind,
        at: stepOf(first!),
        done: group.reduce((sum, { done }) => sum + done, 0),
        failed: group.reduce((sum, { failed }) => sum + failed, 0),
        medianSeconds: quantileOf(buckets, 0.5),
        p95Seconds: quantileOf(buckets, 0.95),
      };
    });
};
