import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { HourlySums } from './hourly-sums';

/**
 * Adds up the spending of accounts in `usage_day`. It leaves wallets out, because nobody asks for a wallet's daily sums
 * and many wallets pay only once.
 */
@Injectable()
export class UsageDayRepository extends HourlySums {
  constructor(db: Database) {
    super(db, {
      cursor: 'usage_cursor',
      name: 'usage',
      add: `insert into usage_day as sum (payer, day, model_id, key_id, calls, spent_micro, input_tokens, output_tokens)
         select payer, (created_at at time zone 'utc')::date, coalesce(model_id, ''), coalesce(key_id, ''),
           count(*), sum(price_micro), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0)
         from charge
         where id >= $1 and id < $2 and created_at >= $3 and created_at < $4
           and payer not like '0x%' and (state = 'charged' or state = 'refunded' and refunded_at >= $5)
         group by 1, 2, 3, 4
         on conflict (payer, day, model_id, key_id) do update
         set calls = sum.calls + excluded.calls, spent_micro = sum.spent_micro + excluded.spent_micro,
           input_tokens = sum.input_tokens + excluded.input_tokens,
           output_tokens = sum.output_tokens + excluded.output_tokens`,
      subtract: (until) =>
        `with back as (
           select payer, (created_at at time zone 'utc')::date as day, coalesce(model_id, '') as model_id,
             coalesce(key_id, '') as key_id, count(*) as calls, sum(price_micro) as micro,
             coalesce(sum(input_tokens), 0) as input, coalesce(sum(output_tokens), 0) as output
           from charge
           where state = 'refunded' and id >= $1 and created_at < $2
             and refunded_at >= $3 and refunded_at < ${until}
           group by 1, 2, 3, 4
         )
         update usage_day sum set calls = sum.calls - back.calls, spent_micro = sum.spent_micro - back.micro,
           input_tokens = sum.input_tokens - back.input, output_tokens = sum.output_tokens - back.output
         from back
         where sum.payer = back.payer and sum.day = back.day and sum.model_id = back.model_id
           and sum.key_id = back.key_id`,
    });
  }
}
