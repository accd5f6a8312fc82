import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { newId } from '../kernel/ids';
import { present } from '../kernel/present';
import { Database } from '../platform/database/database';
import { tableOf } from '../platform/database/table';
import { PaymentEvent } from './payment-event.entity';
import type { Checkout, PaymentReport } from './payment-processor';
import { TopUp } from './top-up.entity';

const TOP_UPS = tableOf(TopUp);

@Injectable()
export class TopUpRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(TopUp) private readonly topUps: Repository<TopUp>,
    @InjectRepository(PaymentEvent) private readonly events: Repository<PaymentEvent>,
  ) {}

  /** The row of this top-up, or the earlier one with the same idempotency key. */
  async add(
    draft: Pick<TopUp, 'id' | 'accountId' | 'amount' | 'processor'>,
    mark: string | undefined,
  ): Promise<TopUp> {
    const row = await this.db.one(
      `insert into credit_top_up (id, account_id, amount_micro, processor, mark) values ($1, $2, $3, $4, $5)
       on conflict on constraint credit_top_up_mark do nothing returning ${TOP_UPS.columns}`,
      [draft.id, draft.accountId, draft.amount, draft.processor, mark],
      'top-up-add',
    );
    const { accountId } = draft;
    return row === undefined ? this.topUps.findOneByOrFail({ accountId, mark }) : TOP_UPS.read(row);
  }

  async find(id: string): Promise<TopUp | undefined> {
    return present(await this.topUps.findOneBy({ id }));
  }

  async opened(id: string, { reference, url }: Checkout): Promise<void> {
    await this.db.rows(
      `update credit_top_up set reference = $2, checkout_url = $3 where id = $1 and checkout_url is null`,
      [id, reference, url],
      'top-up-opened',
    );
  }

  async paid(id: string, reference: string | undefined): Promise<void> {
    await this.db.rows(
      `update credit_top_up set state = 'paid', decided_at = now(), reference = coalesce(reference, $2)
       where id = $1 and state = 'pending'`,
      [id, reference],
      'top-up-paid',
    );
  }

  /** A paid top-up stays paid, whatever is reported later. */
  async refused(id: string, reason: string): Promise<void> {
    await this.db.rows(
      `update credit_top_up set state = 'refused', refusal = $2, decided_at = now()
       where id = $1 and state = 'pending'`,
      [id, reason],
      'top-up-refused',
    );
  }

  isKnown(eventId: string): Promise<boolean> {
    return this.events.existsBy({ id: eventId });
  }

  /** The event and, if it bought no credits, its payment, in one transaction. */
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
        report.topUpId,
        outcome,
        newId('sp'),
        report.reference ?? report.eventId,
        report.amount,
        report.currency,
        isStray,
      ],
      'payment-event-record',
    );
  }
}
