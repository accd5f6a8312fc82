import { Injectable } from '@nestjs/common';

import { firstIdAt } from '#kernel/ids';
import { Database } from '#platform/database/database';
import { takeOwnerLock } from '#platform/database/owner-lock';
import { type AnnouncedModelNow, USED_DAYS } from './model-changes';

const HOUR_MS = 3_600_000;
const USED_MS = USED_DAYS * 24 * HOUR_MS;
/** Ids begin with the time of a process, whose clock may be wrong. */
const CLOCK_MS_MAX = HOUR_MS;
const WINDOW_MS_MIN = 60_000;
/** A step that took less time is followed by a larger one, and one that took more by a smaller one. */
const FAST_MS = 1_000;
const SLOW_MS = 4_000;

interface Due {
  readonly id: string;
  readonly informed_to: Date;
  readonly changed_at: Date;
}

@Injectable()
export class ModelChangesRepository {
  /** The time whose charges one step reads. */
  private windowMs = HOUR_MS;

  constructor(private readonly db: Database) {}

  /**
   * Stores the facts of models. A changed model gets the data of its event, and the time from which on its owners are not
   * informed yet. A model without a price is off sale, and keeps its last one. The lock makes the facts newer than those that another process stored. While two releases run side by
   * side, their prices may differ, so a process with another source announces a model again only after an hour.
   */
  async store(source: string, now: Date, read: () => Promise<readonly AnnouncedModelNow[]>): Promise<void> {
    await this.db.longTransaction(10, async (queries) => {
      await takeOwnerLock(queries, 'announced models', '');
      const models = await read();
      await queries.rows(
        `with present as materialized (
          select m.id, f.facts, m.shown || f.facts || case when f.facts ?| '{retiredOn,forSale}' then '{}'
            else jsonb_build_object('before', a.facts -> 'price') end as pending
          from jsonb_to_recordset($1) as m (id text, facts jsonb, shown jsonb)
          left join announced_model a on a.model_id = m.id
          cross join lateral (select case when m.facts ? 'price' then m.facts
            when not a.facts ? 'retiredOn' then a.facts || m.facts else a.facts end as facts) f
          where f.facts is distinct from a.facts
        ), fresh as (
          insert into announced_model (model_id, facts) select id, facts from present order by id
          on conflict do nothing
        )
        update announced_model a set facts = p.facts, changed_at = clock_timestamp(), source = $3, pending = p.pending,
          informed_to = $2
        from present p
        where a.model_id = p.id and a.facts is distinct from p.facts and a.informed_to is null
          and (a.changed_at is null or a.source = $3 or a.changed_at < now() - interval '1 hour')`,
        [JSON.stringify(models), new Date(now.getTime() - USED_MS), source],
        'announce-models',
      );
    });
  }

  /**
   * Writes events to the owners whose charges of the next window have a changed model. The transaction also moves the
   * window on. The id of an event depends on the owner and the change, so each owner gets one event of each change.
   * False if there is nothing left to do here.
   */
  async inform(): Promise<boolean> {
    const begun = performance.now();
    try {
      return await this.informInWindow(this.windowMs);
    } catch (error) {
      this.windowMs = Math.max(WINDOW_MS_MIN, this.windowMs / 8);
      throw error;
    } finally {
      const took = performance.now() - begun;
      if (took < FAST_MS) this.windowMs = Math.min(USED_MS, this.windowMs * 4);
      if (took > SLOW_MS) this.windowMs = Math.max(WINDOW_MS_MIN, this.windowMs / 2);
    }
  }

  private informInWindow(windowMs: number): Promise<boolean> {
    return this.db.longTransaction(8, async (queries) => {
      const due = await queries.rows<Due>(
        `select model_id as id, informed_to, changed_at from announced_model
         where informed_to = (select min(informed_to) from announced_model) order by model_id
         for update skip locked`,
        [],
        'announced-due',
      );
      const [first] = due;
      if (first === undefined) return false;
      const from = first.informed_to;
      const until = Math.max(...due.map(({ changed_at: at }) => at.getTime())) + 1;
      const to = new Date(Math.min(until, from.getTime() + windowMs));
      const ids = due.map(({ id }) => id);
      await queries.rows(
        `with used as materialized (
          select distinct c.payer, c.model_id from charge c
          where c.id >= $2 and c.id < $3 and c.created_at >= $4 and c.created_at < $5
            and c.state in ('charged', 'refunded') and c.model_id = any($1)
        )
        insert into event (id, owner, type, data)
        select 'evt_' || md5(concat_ws('/', u.payer, m.model_id, m.changed_at)), u.payer,
          case when m.pending ? 'retiredOn' then 'model.retired'
            when m.pending ? 'forSale' then 'model.unavailable' else 'model.changed' end, m.pending
        from used u join announced_model m on m.model_id = u.model_id
        on conflict do nothing`,
        [
          ids,
          firstIdAt('ch', from.getTime() - CLOCK_MS_MAX),
          firstIdAt('ch', to.getTime() + CLOCK_MS_MAX),
          from,
          to,
        ],
        'announce-to-owners',
      );
      await queries.rows(
        `update announced_model set informed_to = case when $2 > changed_at then null else $2 end,
           pending = case when $2 > changed_at then null else pending end
         where model_id = any($1)`,
        [ids, to],
        'announced-on',
      );
      return true;
    });
  }
}
