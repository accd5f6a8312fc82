import { Injectable } from '@nestjs/common';

import { newId } from '../kernel/ids';
import { type Micro, microFromText } from '../kernel/money';
import { Database } from '../platform/database/database';
import type { Checkout, PaymentReport, ProcessorName } from './payment-processor';

export type TopUpState = 'pending' | 'paid' | 'refused';

export interface TopUp {
  readonly id: string;
  readonly accountId: string;
  readonly amount: Micro;
  readonly processor: ProcessorName;
  readonly state: TopUpState;
  readonly reference?: string;
  readonly checkoutUrl?: string;
}

interface TopUpRow {
  readonly id: string;
  readonly account_id: string;
  readonly amount_micro: string;
  readonly processor: ProcessorName;
  readonly state: TopUpState;
  readonly reference: string | null;
  readonly checkout_url: string | null;
}

const COLUMNS = 'id, account_id, amount_micro, processor, state, reference, checkout_url';

const toTopUp = (row: TopUpRow): TopUp => ({
  id: row.id,
  accountId: row.account_id,
  amount: microFromText(row.amount_micro),
  processor: row.processor,
  state: row.state,
  ...(row.reference === null ? {} : { reference: row.reference }),
  ...(row.checkout_url === null ? {} : { checkoutUrl: row.checkout_url }),
});

@Injectable()
export class TopUpRepository {
  constructor(private readonly db: Database) {}

  /** The row of this top-up, or the earlier one that carries the same mark. */
  async add(
    draft: Pick<TopUp, 'id' | 'accountId' | 'amount' | 'processor'>,
    mark: string | undefined,
  ): Promise<TopUp> {
    const values = [draft.id, draft.accountId, draft.amount, draft.processor, mark ?? null];
    const row =
      (await this.db.one<TopUpRow>(
        `insert into credit_top_up (id, account_id, amount_micro, processor, mark) values ($1, $2, $3, $4, $5)
         on conflict on constraint credit_top_up_mark do nothing returning ${COLUMNS}`,
        values,
      )) ??
      (await this.db.one<TopUpRow>(
        `select ${COLUMNS} from credit_top_up where account_id = $1 and mark = $2`,
        [draft.accountId, mark],
      ));
    if (row === undefined) {
      throw new Error('A top-up was neither made nor found.');
    }
    return toTopUp(row);
  }

  async find(id: string): Promise<TopUp | undefined> {
    const row = await this.db.one<TopUpRow>(`select ${COLUMNS} from credit_top_up where id = $1`, [id]);
    return row && toTopUp(row);
  }

  async opened(id: string, { reference, url }: Checkout): Promise<void> {
    await this.db.rows(
      `update credit_top_up set reference = $2, checkout_url = $3 where id = $1 and checkout_url is null`,
      [id, reference ?? null, url],
    );
  }

  async paid(id: string, reference: string | undefined): Promise<void> {
    await this.db.rows(
      `update credit_top_up set state = 'paid', decided_at = now(), reference = coalesce(reference, $2)
       where id = $1 and state = 'pending'`,
      [id, reference ?? null],
    );
  }

  /** What was paid stays paid, whatever is said later. */
  async refused(id: string, reason: string): Promise<void> {
    await this.db.rows(
      `update credit_top_up set state = 'refused', refusal = $2, decided_at = now()
       where id = $1 and state = 'pending'`,
      [id, reason],
    );
  }

  async isKnown(eventId: string): Promise<boolean> {
    return (await this.db.one('select from payment_event where id = $1', [eventId])) !== undefined;
  }

  /** The event, and with it the money that it told of where that bought no credits: neither is ever known alone. */
  async record(report: PaymentReport, outcome: string): Promise<void> {
    // A processor may be shared with other shops; every checkout of ours names its top-up.
    const isOurs = report.topUpId?.startsWith('tu_') === true;
    const isStray = isOurs && report.status === 'paid' && outcome !== 'credited';
    await this.db.rows(
      `with event as (
         insert into payment_event (id, processor, kind, top_up_id, outcome) values ($1, $2, $3, $4, $5)
         on conflict (id) do nothing returning id
       )
       insert into stray_payment (id, processor, reference, event_id, top_up_id, account_id, outcome, amount_micro, currency)
       select $6, $2, $7, event.id, $4, (select account_id from credit_top_up where id = $4), $5, $8::bigint, $9
       from event where $10::boolean
       on conflict on constraint stray_payment_once do nothing`,
      [
        report.eventId,
        report.processor,
        report.kind,
        report.topUpId ?? null,
        outcome,
        newId('sp'),
        report.reference ?? report.eventId,
        report.amount ?? null,
        report.currency ?? null,
        isStray,
      ],
    );
  }
}
