import { Injectable } from '@nestjs/common';

import { Database } from '../../../platform/database/database';

/** Holds the payments against the payers' totals. Each answer is a difference that must be 0. */
@Injectable()
export class PaymentBook {
  constructor(private readonly db: Database) {}

  /** Recently charged calls without their payment, and open exposure that no open call explains, in micro-USD. */
  async drift(): Promise<bigint> {
    const row = await this.db.one<{ drift: string }>(
      `select (
         (select coalesce(sum(c.price_micro), 0) from charge c left join x402_payment p on p.charge_id = c.id
          where c.rail = 'x402' and c.state in ('charged', 'refunded') and c.settled_at > now() - interval '1 hour'
            and (p.tx_hash is null or p.amount_micro <> c.price_micro))
         + (select coalesce(sum(abs(w.open_micro - o.open)), 0)
            from x402_payer w cross join lateral (
              select coalesce(sum(c.price_micro), 0) as open from charge c
              where c.payer = w.payer and c.rail = 'x402' and c.state in ('held', 'settling')) o
            where w.open_micro > 0)
       )::text as drift`,
    );
    return BigInt(row?.drift ?? '0');
  }
}
