import { OPERATION } from '#money/billing/charges/operation';
import { bucketOf } from './durations';

/**
 * The outcomes of work, read directly from the charges and jobs, so that no outcome is counted twice or lost. It skips
 * rows that show nothing about a model: running work, failed payments, and uncharged completions. A completion may also
 * be uncharged because its reader disconnected.
 */
const OUTCOMES = `
  select model_id, 'chat' as kind, created_at, state = 'charged' as done, settled_at - created_at as took
  from charge
  where id >= $1 and id < $5 and created_at >= $3 and created_at < $4 and model_id is not null
    and (operation = 'chat' and (state in ('charged', 'refunded') or state = 'released' and account_id is not null)
      or operation = '${OPERATION.byUse}' and state = 'charged')
  union all
  select model_id, kind, created_at, status = 'done', finished_at - created_at
  from job
  where id >= $2 and id < $6 and created_at >= $3 and created_at < $4 and status <> 'running'
    and error_code is distinct from 'UNPAID'`;

/** Groups the outcomes by hour, model and duration. A failure has no duration. */
export const COUNTED_OUTCOMES = `
  select date_trunc('hour', created_at, 'UTC') as at, model_id, kind,
    ${bucketOf(`extract(epoch from case when done then took end)`)} as bucket,
    count(*) filter (where done)::int as done, count(*) filter (where not done)::int as failed
  from (${OUTCOMES}) outcome group by 1, 2, 3, 4`;
