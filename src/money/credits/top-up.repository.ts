import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { newId } from '#kernel/ids';
import type { Micro } from '#kernel/money';
import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { named } from '#platform/database/named-sql';
import { tableOf } from '#platform/database/table';
import { AUTO_FAILURES_MAX, AUTO_RETRY_HOURS } from './auto-top-up-limits';
import { PaymentEvent } from './payment-event.entity';
import type { Checkout, PaymentReport } from './payment-processor';
import { TopUp } from './top-up.entity';

const TOP_UPS = tableOf(TopUp);

/** The refusal of an automatic top-up for which no card was charged. */
export const NEVER_SENT = 'never_sent';

const RECORD = named(
  `with event as (
     insert into payment_event (id, processor, kind, top_up_id, outcome)
     values (:eventId, :processor, :kind, :topUpId, :outcome)
     on conflict (id) do nothing returning id
   )
   insert into stray_payment (id, processor, reference, event_id, top_up_id, account_id, outcome, amount_micro, currency)
   select :strayId, :processor, :reference, event.id, :topUpId,
     (select account_id from credit_top_up where id = :topUpId), :outcome, :amount::bigint, :currency
   from event where :isStray::boolean
   on conflict on constraint stray_payment_once do nothing`,
);

/** The operator, as settings name it. */
export interface Seller {
  readonly name?: string;
  readonly address?: string;
  readonly taxId?: string;
}

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

  /** Creates the invoice in the same statement, with the next number and the present seller and buyer. */
  async paid(id: string, reference: string | undefined, seller: Seller): Promise<void> {
    await this.db.rows(
      `with paid as (
         update credit_top_up set state = 'paid', decided_at = now(), reference = coalesce(reference, $2)
         where id = $1 and state = 'pending' returning id, account_id, automatic
       ), recovered as (
         update auto_top_up t set failures = 0, last_failure = null, retry_at = null
         from paid where paid.automatic and t.account_id = paid.account_id
       ), counted as (
         update invoice_counter set last = last + 1
         where exists (select from paid) and not exists (select from invoice where top_up_id = $1) returning last
       )
       insert into invoice (number, top_up_id, seller_name, seller_address, seller_tax_id, buyer_name, buyer_lines,
         buyer_country, buyer_tax_id)
       select counted.last, paid.id, $3, $4, $5, b.name, b.lines, b.country, b.tax_id
       from paid cross join counted left join billing_address b on b.account_id = paid.account_id`,
      [id, reference, seller.name, seller.address, seller.taxId],
      'top-up-paid',
    );
  }

  /** The processor reports the sum of all refunds of a payment, and reports may come in any order. */
  async refunded(id: string, amount: Micro): Promise<void> {
    await this.db.rows(
      `update credit_top_up set refunded_micro = greatest(refunded_micro, least(amount_micro, $2::bigint))
       where id = $1`,
      [id, amount],
      'top-up-refunded',
    );
  }

  /**
   * A paid top-up stays paid, whatever is reported later. Too many refusals of a saved card switch automatic top-ups
   * off. The statement that decides a top-up counts its refusal, so each counts once.
   */
  async refused(id: string, reason: string): Promise<void> {
    await this.db.rows(
      `with refused as (
         update credit_top_up set state = 'refused', refusal = $2, decided_at = now()
         where id = $1 and state = 'pending' returning account_id, automatic
       )
       update auto_top_up t set failures = failures + 1, last_failure = $2, enabled = enabled and failures + 1 < $3,
         retry_at = now() + interval '${AUTO_RETRY_HOURS} hours'
       from refused where refused.automatic and $2 <> $4 and t.account_id = refused.account_id`,
      [id, reason, AUTO_FAILURES_MAX, NEVER_SENT],
      'top-up-refused',
    );
  }

  isKnown(eventId: string): Promise<boolean> {
    return this.events.existsBy({ id: eventId });
  }

  /** Stores the event and, if it bought no credits, its payment, in one statement. */
  async record(report: PaymentReport, outcome: string): Promise<void> {
    // A processor may be shared with other shops; every checkout of ours names its top-up.
    const isOurs = report.topUpId?.startsWith('tu_') === true;
    const isStray = isOurs && report.status === 'paid' && outcome !== 'credited';
    const { eventId, processor, kind, topUpId, reference = eventId, amount, currency } = report;
    const values = {
      eventId,
      processor,
      kind,
      topUpId,
      outcome,
      reference,
      amount,
      currency,
      isStray,
      strayId: newId('sp'),
    };
    await this.db.rows(...RECORD(values), 'payment-event-record');
  }
}
