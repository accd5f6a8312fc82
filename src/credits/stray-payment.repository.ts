import { Injectable } from '@nestjs/common';

import { type Micro, microFromText } from '../kernel/money';
import { Database } from '../platform/database/database';

export const STRAY_STATES = ['open', 'credited', 'closed'] as const;
export type StrayState = (typeof STRAY_STATES)[number];

/** Money that a processor took and that bought no credits. */
export interface StrayPayment {
  readonly id: string;
  readonly processor: string;
  /** The processor's own name for the payment: an operator finds it there. */
  readonly reference: string;
  readonly topUpId?: string;
  readonly accountId?: string;
  /** Why it bought none. */
  readonly outcome: string;
  readonly amount?: Micro;
  readonly currency?: string;
  readonly state: StrayState;
  readonly createdAt: Date;
  readonly resolvedAt?: Date;
}

interface StrayRow {
  readonly id: string;
  readonly processor: string;
  readonly reference: string;
  readonly top_up_id: string | null;
  readonly account_id: string | null;
  readonly outcome: string;
  readonly amount_micro: string | null;
  readonly currency: string | null;
  readonly state: StrayState;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
}

const COLUMNS = `id, processor, reference, top_up_id, account_id, outcome, amount_micro, currency, state, created_at,
  resolved_at`;

const toStray = (row: StrayRow): StrayPayment => ({
  id: row.id,
  processor: row.processor,
  reference: row.reference,
  ...(row.top_up_id === null ? {} : { topUpId: row.top_up_id }),
  ...(row.account_id === null ? {} : { accountId: row.account_id }),
  outcome: row.outcome,
  ...(row.amount_micro === null ? {} : { amount: microFromText(row.amount_micro) }),
  ...(row.currency === null ? {} : { currency: row.currency }),
  state: row.state,
  createdAt: row.created_at,
  ...(row.resolved_at === null ? {} : { resolvedAt: row.resolved_at }),
});

/** Reads and decides payments that went astray. They are written with the event that told of them. */
@Injectable()
export class StrayPayments {
  constructor(private readonly db: Database) {}

  async find(id: string): Promise<StrayPayment | undefined> {
    const row = await this.db.one<StrayRow>(`select ${COLUMNS} from stray_payment where id = $1`, [id]);
    return row && toStray(row);
  }

  /** Newest first; `before` is the id of the last one of the page before. */
  async page(state: StrayState | undefined, limit: number, before?: string): Promise<StrayPayment[]> {
    const rows = await this.db.rows<StrayRow>(
      `select ${COLUMNS} from stray_payment
       where ($1::text is null or state = $1)
         and ($3::text is null or (created_at, id) < (select created_at, id from stray_payment where id = $3))
       order by created_at desc, id desc limit $2`,
      [state ?? null, limit, before ?? null],
    );
    return rows.map(toStray);
  }

  /** Undefined when it was decided before. */
  async resolve(id: string, state: Exclude<StrayState, 'open'>): Promise<StrayPayment | undefined> {
    const row = await this.db.one<StrayRow>(
      `update stray_payment set state = $2, resolved_at = now() where id = $1 and state = 'open' returning ${COLUMNS}`,
      [id, state],
    );
    return row && toStray(row);
  }
}
