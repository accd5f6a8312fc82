import { Injectable } from '@nestjs/common';

import { microFromText } from '#kernel/money';
import { byColumn } from '#platform/database/batch-rows';
import { Database } from '#platform/database/database';
import type { VendorCostDay } from './vendor-cost.entity';

/** The cost of one route on a day, added up over all processes. */
export type RouteCost = Omit<VendorCostDay, 'process'>;

/** Writes and reads the cost of calls at vendors. No call waits for these statements. */
@Injectable()
export class VendorCostRepository {
  constructor(private readonly db: Database) {}

  /** Writes totals. A row never gets a lower total, so a delayed write can't replace a newer one. */
  async put(totals: readonly VendorCostDay[]): Promise<void> {
    if (totals.length === 0) return;
    await this.db.rows(
      `insert into vendor_cost_day as v (day, provider, provider_model, model_id, process, calls, unused_calls,
         cost_micro, told_micro)
       select * from unnest($1::date[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
         $8::bigint[], $9::bigint[])
       on conflict (day, provider, provider_model, model_id, process) do update
       set calls = excluded.calls, unused_calls = excluded.unused_calls, cost_micro = excluded.cost_micro,
         told_micro = excluded.told_micro
       where v.calls < excluded.calls`,
      byColumn(
        totals.map((total) => [
          total.day,
          total.provider,
          total.providerModel,
          total.modelId,
          total.process,
          total.calls,
          total.unusedCalls,
          total.cost,
          total.reported,
        ]),
      ),
      'vendor-cost-put',
    );
  }

  /** `from` and `to` are days of UTC, both included. */
  async between(from: string, to: string): Promise<RouteCost[]> {
    const rows = await this.db.longRows<{
      day: string;
      provider: string;
      provider_model: string;
      model_id: string;
      calls: number;
      unused: number;
      cost: string;
      reported: string;
    }>(
      10,
      `select to_char(day, 'YYYY-MM-DD') as day, provider, provider_model, model_id, sum(calls)::int as calls,
         sum(unused_calls)::int as unused, sum(cost_micro)::text as cost, sum(told_micro)::text as reported
       from vendor_cost_day where day between $1::date and $2::date
       group by vendor_cost_day.day, provider, provider_model, model_id
       order by vendor_cost_day.day desc, sum(cost_micro) desc, provider, provider_model`,
      [from, to],
      'vendor-cost-between',
    );
    return rows.map((row) => ({
      day: row.day,
      provider: row.provider,
      providerModel: row.provider_model,
      modelId: row.model_id,
      calls: row.calls,
      unusedCalls: row.unused,
      cost: microFromText(row.cost),
      reported: microFromText(row.reported),
    }));
  }
}
