import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { StrayPayment, type StrayState } from './stray-payment.entity';

const PAYMENTS = tableOf(StrayPayment);

/** Reads and decides stray payments. They are written with the event that reported them. */
@Injectable()
export class StrayPayments {
  constructor(
    private readonly db: Database,
    @InjectRepository(StrayPayment) private readonly payments: Repository<StrayPayment>,
  ) {}

  async find(id: string): Promise<StrayPayment | undefined> {
    return present(await this.payments.findOneBy({ id }));
  }

  /** Newest first; `before` is the id of the last one of the page before. */
  async page(state: StrayState | undefined, limit: number, before?: string): Promise<StrayPayment[]> {
    const rows = await this.db.rows(
      `select ${PAYMENTS.columns} from stray_payment
       where ($1::text is null or state = $1)
         and ($3::text is null or (created_at, id) < (select created_at, id from stray_payment where id = $3))
       order by created_at desc, id desc limit $2`,
      [state, limit, before],
      'stray-payment-page',
    );
    return rows.map(PAYMENTS.read);
  }

  /** Undefined if it was decided before. */
  async resolve(id: string, state: Exclude<StrayState, 'open'>): Promise<StrayPayment | undefined> {
    const row = await this.db.one(
      `update stray_payment set state = $2, resolved_at = now() where id = $1 and state = 'open'
       returning ${PAYMENTS.columns}`,
      [id, state],
      'stray-payment-resolve',
    );
    return row && PAYMENTS.read(row);
  }
}
