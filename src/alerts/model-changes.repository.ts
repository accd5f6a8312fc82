import { Injectable } from '@nestjs/common';

import { firstIdAt } from '../kernel/ids';
import { Database } from '../platform/database/database';
import type { AnnouncedModelNow } from './model-changes';

const DAY_MS = 86_400_000;
const USED_DAYS = 30;
/** Ids begin with the time of a process, whose clock may be wrong. */
const CLOCK_MS_MAX = 3_600_000;

@Injectable()
export class ModelChangesRepository {
  constructor(private readonly db: Database) {}

  /**
   * Stores the facts of models, and writes an event to each owner who used a changed model in the last 30 days. The
   * same statement does both, so each owner gets one event of each change. While two releases run side by side, their
   * prices may differ, so a model is announced again only after an hour. Returns the number of events.
   */
  async announce(models: readonly AnnouncedModelNow[], now: Date): Promise<number> {
    return this.db.transaction(async (queries) => {
      await queries.rows(`set local statement_timeout = '60s'`);
      const row = await queries.one<{ events: number }>(
        `with present as materialized (
          select m.id, m.facts, m.shown, a.facts as before
          from jsonb_to_recordset($1) as m (id text, facts jsonb, shown jsonb)
          left join announced_model a on a.model_id = m.id
        ), stored as (
          insert into announced_model as a (model_id, facts)
          select id, facts from present where facts is distinct from before order by id
          on conflict (model_id) do update set facts = excluded.facts, changed_at = now()
          where a.facts is distinct from excluded.facts
            and (a.changed_at is null or a.changed_at < now() - interval '1 hour')
          returning model_id
        ), changed as materialized (
          select p.* from present p join stored on stored.model_id = p.id where p.before is not null
        ), used as materialized (
          select distinct c.payer, c.model_id from charge c
          where c.id >= $2 and c.created_at >= $3 and c.state in ('charged', 'refunded')
            and c.model_id in (select id from changed)
        ), written as (
          insert into event (id, owner, type, data)
          select 'evt_' || md5(concat_ws('/', u.payer, m.id, m.facts, now())), u.payer,
            case when m.facts ? 'retiredOn' then 'model.retired' else 'model.changed' end,
            m.shown || m.facts || case when m.facts ? 'retiredOn' then '{}'
              else jsonb_build_object('before', m.before -> 'price') end
          from used u join changed m on m.id = u.model_id
          returning 1
        )
        select count(*)::int as events from written`,
        [
          JSON.stringify(models),
          firstIdAt('ch', now.getTime() - USED_DAYS * DAY_MS - CLOCK_MS_MAX),
          new Date(now.getTime() - USED_DAYS * DAY_MS),
        ],
        'announce-models',
      );
      return row?.events ?? 0;
    });
  }
}
