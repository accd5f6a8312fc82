import { Injectable } from '@nestjs/common';

import type { Micro } from '#kernel/money';
import { newId } from '#kernel/ids';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { HeldResult } from './held-result.entity';

const AWAITED_SECONDS = 30;
/** A taken result stays for as long as the job may retry to store it. */
const TAKEN_MINUTES = 10;
const KEPT_HOURS = 24;
const DROPPED_AT_ONCE = 100;

/** The pictures of an answer, and the vendor's bill if the answer has it. */
export interface MadePictures {
  readonly pictures: readonly Buffer[];
  readonly cost?: Micro;
}

const RESULTS = tableOf(HeldResult);

/**
 * The results of calls whose answers contain the pictures. The database keeps them because any process may poll the
 * job, and a lost answer can't be requested again.
 */
@Injectable()
export class HeldResults {
  constructor(private readonly db: Database) {}

  /** Adds the row before the call is sent, so that a look-up finds all work that the provider may have accepted. */
  async open(ourId: string): Promise<string> {
    await this.dropOld();
    const row = await this.db.one<{ id: string }>(
      `insert into held_result as held (id, reference, awaited_until)
       values ($1, $2, now() + make_interval(secs => ${AWAITED_SECONDS}))
       on conflict (reference) do update set state = 'waiting', data = null, lengths = null, cost_micro = null, awaited_until = excluded.awaited_until
       returning id`,
      [newId('held'), ourId],
      'held-result-open',
    );
    return row!.id;
  }

  async await(id: string): Promise<void> {
    await this.db.rows(
      `update held_result set awaited_until = now() + make_interval(secs => ${AWAITED_SECONDS}) where id = $1`,
      [id],
      'held-result-await',
    );
  }

  async keep(id: string, { pictures, cost }: MadePictures): Promise<void> {
    const lengths = pictures.length > 1 ? pictures.map(({ length }) => length) : undefined;
    await this.db.rows(
      `update held_result set state = 'kept', data = $2, lengths = $3, cost_micro = $4 where id = $1 and state = 'waiting'`,
      [id, Buffer.concat(pictures), lengths, cost],
      'held-result-keep',
    );
  }

  async fail(id: string): Promise<void> {
    await this.db.rows(
      `update held_result set state = 'failed', data = null, lengths = null where id = $1`,
      [id],
      'held-result-fail',
    );
  }

  /** Removes the row, because the provider certainly did not accept the work. */
  async forget(id: string): Promise<void> {
    await this.db.rows('delete from held_result where id = $1', [id], 'held-result-forget');
  }

  async idOf(ourId: string): Promise<string | undefined> {
    const row = await this.db.one<{ id: string }>(
      'select id from held_result where reference = $1',
      [ourId],
      'held-result-id',
    );
    return row?.id;
  }

  async take(id: string): Promise<HeldResult | undefined> {
    const row = await this.db.one(
      `update held_result set taken_at = case when state = 'kept' then now() end
       where id = $1 returning ${RESULTS.columns}`,
      [id],
      'held-result-take',
    );
    return row && RESULTS.read(row);
  }

  /** Deletes some old rows for each new row, so the table stays small without a sweep. */
  private async dropOld(): Promise<void> {
    await this.db.rows(
      `delete from held_result where id in (
         select id from held_result
         where created_at < now() - make_interval(hours => ${KEPT_HOURS})
            or taken_at < now() - make_interval(mins => ${TAKEN_MINUTES})
         order by created_at limit ${DROPPED_AT_ONCE} for update skip locked)`,
      [],
      'held-result-drop-old',
    );
  }
}
