import { Injectable } from '@nestjs/common';

import { firstIdAt } from '#kernel/ids';
import { microFromText } from '#kernel/money';
import { Database } from '#platform/database/database';
import { HOUR_MS, HourlySums } from './hourly-sums';
import { OPERATION } from './operation';
import type { SalesDay } from './sales-day.entity';

/** A top-up is no revenue, because later calls spend its money. */
const IS_SALE = `operation <> '${OPERATION.topUp}'`;

/** Adds up the revenue of each model, from all payers, in `sales_day`. */
@Injectable()
export class SalesDayRepository extends HourlySums {
  constructor(private readonly database: Database) {
    super(database, {
      cursor: 'sales_cursor',
      name: 'sales',
      add: `insert into sales_day as sum (day, model_id, calls, revenue_micro)
         select (created_at at time zone 'utc')::date, coalesce(model_id, ''), count(*), sum(price_micro)
         from charge
         where id >= $1 and id < $2 and created_at >= $3 and created_at < $4 and ${IS_SALE}
           and (state = 'charged' or state = 'refunded' and refunded_at >= $5)
         group by 1, 2
         on conflict (day, model_id) do update
         set calls = sum.calls + excluded.calls, revenue_micro = sum.revenue_micro + excluded.revenue_micro`,
      subtract: (until) =>
        `with back as (
           select (created_at at time zone 'utc')::date as day, coalesce(model_id, '') as model_id,
             count(*) as calls, sum(price_micro) as micro
           from charge
           where state = 'refunded' and id >= $1 and created_at < $2 and ${IS_SALE}
             and refunded_at >= $3 and refunded_at < ${until}
           group by 1, 2
         )
         update sales_day sum set calls = sum.calls - back.calls, revenue_micro = sum.revenue_micro - back.micro
         from back where sum.day = back.day and sum.model_id = back.model_id`,
    });
  }

  /**
   * `from` and `to` are days of UTC, both included. `sales_day` has the sums of past hours, and the statement adds the
   * charges since then.
   */
  async between(from: string, to: string): Promise<SalesDay[]> {
    const rows = await this.database.longTransaction(10, async (queries) => {
      const cursor = await queries.one<{ through: Date }>('select through from sales_cursor', [], 'sales-at');
      const newest = Math.max(Date.parse(from), cursor?.through.getTime() ?? 0);
      return queries.rows<{ day: string; model_id: string; calls: number; micro: string }>(
        `select to_char(day, 'YYYY-MM-DD') as day, model_id, sum(calls)::int as calls, sum(micro)::text as micro
         from (
           select day, model_id, calls, revenue_micro as micro from sales_day
           where day between $1::date and $2::date
           union all
           select (created_at at time zone 'utc')::date, coalesce(model_id, ''), 1, price_micro
           from charge
           where id >= $3 and state = 'charged' and ${IS_SALE}
             and created_at >= greatest($1::timestamp at time zone 'utc', (select through from sales_cursor))
             and created_at < ($2::timestamp + interval '1 day') at time zone 'utc'
         ) each
         group by 1, 2 having sum(calls) > 0 order by 1 desc, sum(micro) desc, 2`,
        [from, to, firstIdAt('ch', newest - HOUR_MS)],
        'sales-between',
      );
    });
    return rows.map((row) => ({
      day: row.day,
      modelId: row.model_id,
      calls: row.calls,
      revenue: microFromText(row.micro),
    }));
  }
}
