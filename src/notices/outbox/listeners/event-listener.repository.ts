import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { Event } from '../event.entity';
import { type EventCursor, type StoredEvent, AFTER_ALL, placeIn } from '../event.repository';
import { DECIDED_CHARGES } from '../event.sql';
import type { InnerType } from '../event-types';

const EVENTS = tableOf(Event);

interface CursorRow {
  readonly position: string;
  readonly written: string;
  readonly event_id: string;
}

/** Whether events of any of these types are read from the rows of charges. */
const readsCharges = (types: readonly InnerType[]): boolean =>
  types.includes('charge.charged') || types.includes('charge.released');

/**
 * The transactions that a cursor (`$1`, `$2`) has before it, as spans of their numbers. They began after a snapshot, or
 * were open in it. So a transaction that stays open makes no read longer. The snapshot is that of the
 * cursor's position, or the one before it if the cursor is within its position.
 */
const unreadUntil = (last: string): string => `
  since as (
    select coalesce(read.upper, least(at.lower, $2::bigint)) as upper, read.snapshot::pg_snapshot as snapshot
    from event_watermark at
    left join event_watermark read on read.position = at.position - case when $2::bigint = ${AFTER_ALL} then 0 else 1 end
    where at.position = $1
  ), until as (
    select position, upper, snapshot::pg_snapshot as snapshot from event_watermark where ${last}
  ), span as (
    select since.upper as first, until.upper - 1 as last from since, until
    union all
    select open.number, open.number from since
    cross join lateral (select x::text::bigint as number from pg_snapshot_xip(since.snapshot) x) as open
  )`;

/** The unread transactions with events of the types `$3`, and of charges if `$4`, that the last position contains. */
const unread = (page = ''): string => `
  select found.written from span cross join until cross join lateral (
    (select written from event where written between span.first and span.last and type = any($3::text[])
       and pg_visible_in_snapshot(written::text::xid8, until.snapshot)
     group by written ${page})
    union all
    (select decided as written from charge where $4 and decided between span.first and span.last
       and case state when 'released' then 'charge.released' else 'charge.charged' end = any($3::text[])
       and pg_visible_in_snapshot(decided::text::xid8, until.snapshot)
     group by decided ${page})
  ) as found group by found.written`;

const IN_RANGE = `m.upper >= (select upper from since) and m.position <= (select position from until)`;

/** The end of a key is announced at most this late, for example after all workers were stopped. */
const ENDED_WITHIN = `interval '7 days'`;
/** The most keys of one run, so that a run after a long pause ends in time too. */
const ENDED_MAX = 1_000;

/** The cursors of listeners, and the events of all owners for them. */
@Injectable()
export class EventListenerRepository {
  constructor(private readonly db: Database) {}

  /** New listeners begin at the end of the log. */
  async add(names: readonly string[]): Promise<void> {
    await this.db.rows(
      `insert into event_listener (name, position, written, event_id)
       select name, coalesce((select max(position) from event_watermark), 0), $2, '' from unnest($1::text[]) as name
       on conflict (name) do nothing`,
      [names, AFTER_ALL],
      'listener-add',
    );
  }

  /** Takes or extends the lease, and returns the cursor. Undefined if another process has the lease. */
  async claim(name: string, holder: string, leaseSeconds: number): Promise<EventCursor | undefined> {
    const row = await this.db.one<CursorRow>(
      `update event_listener set holder = $2, lease_until = clock_timestamp() + $3::integer * interval '1 second'
       where name = $1 and (holder = $2 or lease_until is null or lease_until < clock_timestamp())
       returning position, written, event_id`,
      [name, holder, leaseSeconds],
      'listener-claim',
    );
    return row && { position: BigInt(row.position), written: BigInt(row.written), id: row.event_id };
  }

  /** Only the process with the lease moves the cursor. */
  async move(name: string, holder: string, to: EventCursor): Promise<boolean> {
    const rows = await this.db.rows(
      `update event_listener set position = $3, written = $4, event_id = $5 where name = $1 and holder = $2
       returning name`,
      [name, holder, to.position, to.written, to.id],
      'listener-move',
    );
    return rows.length > 0;
  }

  async release(name: string, holder: string): Promise<void> {
    await this.db.rows(
      'update event_listener set holder = null, lease_until = null where name = $1 and holder = $2',
      [name, holder],
      'listener-release',
    );
  }

  /**
   * A position up to which there is about a page of events, the middle position of the next transactions. A single old
   * transaction that ended late, and is in a late position, thus makes no page long. Undefined if there are fewer
   * transactions, so that a page reaches to the end.
   */
  async reach(after: EventCursor, types: readonly InnerType[], count: number): Promise<bigint | undefined> {
    const row = await this.db.one<{ position: string }>(
      `with ${unreadUntil('position = (select max(position) from event_watermark)')}
       select position from (
         select w.position, count(*) over () as found
         from (${unread('order by written limit $5 + 1')} order by written limit $5 + 1) as t
         cross join lateral (${placeIn('t.written', IN_RANGE)}) as w
       ) as next
       where found > $5 order by position offset $5 / 2 limit 1`,
      [after.position, after.written, types, readsCharges(types), count],
      'listener-reach',
    );
    return row && BigInt(row.position);
  }

  /** The events of all owners after a cursor, up to a position, in order. */
  async between(
    after: EventCursor,
    until: bigint,
    types: readonly InnerType[],
    limit: number,
  ): Promise<StoredEvent[]> {
    const rows = await this.db.rows<{ id: string; position: string; written: string }>(
      `with ${unreadUntil('position = $7')}
       select e.id, e.owner, e.type, e.data, coalesce(e.created_at, t.seen_at) as created_at, t.written, t.position
       from (
         select u.written, w.position, w.seen_at from (${unread()}) as u
         cross join lateral (${placeIn('u.written', IN_RANGE)}) as w
         where (w.position, u.written) >= ($1, $2)
         order by w.position, u.written limit $6 + 1
       ) as t
       cross join lateral (
         (select id, owner, type, data, created_at from event
          where written = t.written and type = any($3::text[])
            and id collate "C" > case when (t.position, t.written) = ($1, $2) then $5 else '' end
          order by id collate "C" limit $6)
         union all
         (select c.id, c.owner, c.type, c.data, c.created_at from (${DECIDED_CHARGES}
            where $4 and decided = t.written) as c
          where c.type = any($3::text[])
            and c.id collate "C" > case when (t.position, t.written) = ($1, $2) then $5 else '' end)
       ) as e
       order by t.position, t.written, e.id collate "C" limit $6`,
      [after.position, after.written, types, readsCharges(types), after.id, limit, until],
      'listener-between',
    );
    return rows.map((row) => ({
      ...EVENTS.read(row),
      cursor: { position: BigInt(row.position), written: BigInt(row.written), id: row.id },
    }));
  }

  /** The failed events of a listener whose pause is over, the oldest first. */
  async due(sweep: string, limit: number): Promise<readonly string[]> {
    const rows = await this.db.rows<{ id: string }>(
      'select id from sweep_pause where sweep = $1 and retry_at <= now() order by retry_at limit $2',
      [sweep, limit],
      'listener-due',
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Writes the events of the next keys that have expired. A trigger writes those of deleted keys, with the same id, so
   * that each end of a key is announced once.
   */
  async announceExpiredKeys(): Promise<void> {
    await this.db.rows(
      `insert into event (id, owner, type, data)
       select ended.event_id, coalesce(account_id, wallet), 'key.ended', jsonb_build_object(
         'id', id, 'name', name, 'reason', 'expired', 'ended_at', expires_at)
       from api_key
       cross join lateral (select 'evt_' || md5(api_key.id || extract(epoch from expires_at)::text) as event_id) as ended
       where deleted_at is null and expires_at <= now() and expires_at > now() - ${ENDED_WITHIN}
         and not exists (select from event where event.id = ended.event_id)
       order by expires_at limit ${ENDED_MAX}
       on conflict (id) do nothing`,
      [],
      'listener-expired-keys',
    );
  }
}
