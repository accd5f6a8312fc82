import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { type Micro, microFromText } from '#kernel/money';
import { newId } from '#kernel/ids';
import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { IS_DUE, dueSince, joinPauses } from '#platform/queue/sweep-pause.repository';
import { ABANDONED, CREATABLE, DUE, MONTH, WANTED } from './auto-top-up-due.sql';
import { AutoTopUp } from './auto-top-up.entity';
import type { SavedCard } from './payment-processor';
import { TopUp } from './top-up.entity';

const TOP_UPS = tableOf(TopUp);

/** The name of the sweep, for its pauses. */
export const AUTO_TOP_UPS = 'automatic top-ups';

/** An automatic top-up without a known end, and whether the processor may still be asked to charge it. */
export interface OpenCharge {
  readonly topUp: TopUp;
  readonly mayCreate: boolean;
}

/** The settings that an owner gives. */
export type AutoTopUpRule = Required<Pick<AutoTopUp, 'enabled' | 'below' | 'amount' | 'month'>>;

@Injectable()
export class AutoTopUpRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(AutoTopUp) private readonly rows: Repository<AutoTopUp>,
  ) {}

  async find(accountId: string): Promise<AutoTopUp | undefined> {
    return present(await this.rows.findOneBy({ accountId }));
  }

  async usedInMonth(accountId: string): Promise<Micro> {
    const row = await this.db.one<{ used: string }>(
      `select (${MONTH})::text as used from (values ($1::text)) as t (account_id)`,
      [accountId],
      'auto-top-up-month',
    );
    return microFromText(row?.used ?? '0');
  }

  async setupOpened(accountId: string, person: string, customer: string, reference: string): Promise<void> {
    await this.db.rows(
      `insert into auto_top_up (account_id, customer, setup_by, setup_reference) values ($1, $3, $2, $4)
       on conflict (account_id) do update
       set customer = excluded.customer, setup_by = excluded.setup_by, setup_reference = excluded.setup_reference`,
      [accountId, person, customer, reference],
      'auto-top-up-setup',
    );
  }

  /** False if a newer page was opened, or this page was used before. */
  async cardSaved(accountId: string, reference: string, card: SavedCard): Promise<boolean> {
    const row = await this.db.one(
      `update auto_top_up set customer = $3, payment_method = $4, card = $5, card_by = setup_by, setup_reference = null,
         failures = 0, last_failure = null, retry_at = null
       where account_id = $1 and setup_reference = $2 returning account_id`,
      [accountId, reference, card.customer, card.paymentMethod, card.label],
      'auto-top-up-card',
    );
    return row !== undefined;
  }

  /** False if the owner enables it without a saved card. */
  async set(accountId: string, { enabled, below, amount, month }: AutoTopUpRule): Promise<boolean> {
    const row = await this.db.one(
      `insert into auto_top_up as t (account_id, below_micro, amount_micro, month_micro)
       select $1, $3, $4, $5 where not $2::boolean
       on conflict (account_id) do nothing returning account_id`,
      [accountId, enabled, below, amount, month],
      'auto-top-up-add',
    );
    if (row !== undefined) return true;
    const changed = await this.db.one(
      `update auto_top_up set enabled = $2, below_micro = $3, amount_micro = $4, month_micro = $5, failures = 0,
         last_failure = null, retry_at = null
       where account_id = $1 and (not $2::boolean or payment_method is not null) returning account_id`,
      [accountId, enabled, below, amount, month],
      'auto-top-up-change',
    );
    return changed !== undefined;
  }

  /** Returns the processor's name of the removed card. */
  async removeCard(accountId: string): Promise<string | undefined> {
    const row = await this.db.one<{ payment_method: string | null }>(
      `with before as (select account_id, payment_method from auto_top_up where account_id = $1 for update)
       update auto_top_up t set enabled = false, payment_method = null, card = null, card_by = null, setup_reference = null,
         failures = 0, last_failure = null, retry_at = null
       from before where t.account_id = before.account_id returning before.payment_method`,
      [accountId],
      'auto-top-up-remove',
    );
    return present(row?.payment_method);
  }

  async due(most: number): Promise<readonly string[]> {
    const rows = await this.db.rows<{ id: string }>(
      `select t.account_id as id from auto_top_up t ${joinPauses(AUTO_TOP_UPS, 't.account_id')}
       where ${DUE} and ${IS_DUE} order by p.retry_at nulls first, t.account_id limit $1`,
      [most],
      'auto-top-up-due',
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Writes the row of a new charge. The lock of the settings serialises processes, so the second one sees the first
   * one's row.
   */
  begin(accountId: string, processor: TopUp['processor']): Promise<TopUp | undefined> {
    return this.db.transaction(async (queries) => {
      await queries.rows(
        'select from auto_top_up where account_id = $1 for update',
        [accountId],
        'auto-top-up-lock',
      );
      const row = await queries.one(
        `insert into credit_top_up (id, account_id, amount_micro, processor, automatic, customer, payment_method)
         select $2, t.account_id, t.amount_micro, $3, true, t.customer, t.payment_method
         from auto_top_up t where t.account_id = $1 and ${DUE}
         returning ${TOP_UPS.columns}`,
        [accountId, newId('tu'), processor],
        'auto-top-up-begin',
      );
      return row && TOP_UPS.read(row);
    });
  }

  /** Open charges of processes that died or got no answer. */
  async abandoned(most: number): Promise<readonly OpenCharge[]> {
    const rows = await this.db.rows<{ may_create: boolean }>(
      `select ${TOP_UPS.columns}, created_at > now() - ${CREATABLE} and exists (
         select from auto_top_up t where t.account_id = credit_top_up.account_id and ${WANTED}) as may_create
       from credit_top_up ${joinPauses(AUTO_TOP_UPS, 'credit_top_up.id')}
       where automatic and state = 'pending' and created_at < now() - ${ABANDONED} and ${IS_DUE}
       order by ${dueSince('created_at')} limit $1`,
      [most],
      'auto-top-up-abandoned',
    );
    return rows.map((row) => ({ topUp: TOP_UPS.read(row), mayCreate: row.may_create }));
  }
}
