import { Injectable } from '@nestjs/common';

import { memberOfCall, memberOfKey } from '#people/keys/visible-rows.sql';
import { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import { DECIDED_CHARGES } from './event.sql';
import { Event } from './event.entity';
import type { EventType } from './event-types';

const EVENTS = tableOf(Event);

/**
 * The order of an event: by the first watermark that contains it, then by the transaction that wrote it, then by its
 * id.
 */
export interface EventCursor {
  readonly position: bigint;
  readonly written: bigint;
  readonly id: string;
}

export interface StoredEvent extends Pick<Event, 'id' | 'owner' | 'type' | 'data' | 'createdAt'> {
  readonly cursor: EventCursor;
}

interface CursorRow {
  readonly id: string;
  readonly position: string;
  readonly written: string;
}

/** Higher than every transaction number. */
export const AFTER_ALL = String(2n ** 63n - 1n);

export const endOfPosition = (position: bigint): EventCursor => ({
  position,
  written: BigInt(AFTER_ALL),
  id: '',
});

/** The next transaction with events of an owner, in one index look-up, however many events each wrote. */
const nextTransaction = (behind: string): string => `
  (select written from event
   where owner = wanted.owner and written ${behind} and written < until.upper and type = any($6::text[])
   order by written limit 1)`;

/** Whether events of any type in `$6` are read from the rows of charges. */
const DECIDED_WANTED = `$6::text[] && array['charge.charged', 'charge.released']`;

/** The position of a transaction: the first watermark that contains it and meets the condition. */
export const placeIn = (written: string, condition = 'true'): string => `
  select m.position, m.seen_at from event_watermark m
  where m.upper > ${written} and pg_visible_in_snapshot(${written}::text::xid8, m.snapshot::pg_snapshot) and ${condition}
  order by m.upper, m.position limit 1`;

/** Reads the log. No result contains events without a position. */
@Injectable()
export class EventRepository {
  constructor(private readonly db: Database) {}

  /** The readable range of positions: from the oldest kept watermark to the newest one. */
  async bounds(): Promise<{ readonly oldest: bigint; readonly latest: bigint }> {
    const row = await this.db.one<{ oldest: string; latest: string }>(
      'select min(position) as oldest, max(position) as latest from event_watermark',
      [],
      'event-bounds',
    );
    return { oldest: BigInt(row?.oldest ?? 0), latest: BigInt(row?.latest ?? 0) };
  }

  /**
   * The events of owners after `after`, up to position `until`, in order. The events of one transaction are read in the
   * order of their ids, so even a very large transaction is read page by page.
   */
  async between(
    owners: readonly string[],
    after: EventCursor,
    until: bigint,
    types: readonly EventType[],
    limit: number,
  ): Promise<StoredEvent[]> {
    const rows = await this.db.rows<CursorRow>(
      `select e.id, t.owner, e.type, e.data, coalesce(e.created_at, t.seen_at) as created_at, t.written, t.position
       from (
         select wanted.owner, both_kinds.written, w.position, w.seen_at
         from unnest($1::text[]) as wanted (owner)
         cross join (select least(lower, $3::bigint) as first from event_watermark where position = $2) as since
         cross join (select upper from event_watermark where position = $5) as until
         cross join lateral (
           with recursive seen as (
             ${nextTransaction('>= since.first')}
             union all
             select n.written from seen cross join lateral ${nextTransaction('> seen.written')} n
           )
           select written from seen
           union
           select decided from charge where ${DECIDED_WANTED}
             and payer = wanted.owner and decided >= since.first and decided < until.upper
         ) as both_kinds
         cross join lateral (${placeIn('both_kinds.written', 'm.position <= $5')}) as w
         where (w.position, both_kinds.written) >= ($2, $3)
         order by w.position, both_kinds.written
       ) as t
       cross join lateral (
         (select id, type, data, created_at from event
          where owner = t.owner and written = t.written and type = any($6::text[])
            and id collate "C" > case when (t.position, t.written) = ($2, $3) then $4 else '' end
          order by id collate "C" limit $7)
         union all
         (select c.id, c.type, c.data, c.created_at from (${DECIDED_CHARGES}
            where ${DECIDED_WANTED} and payer = t.owner and decided = t.written) as c
          where c.type = any($6::text[])
            and c.id collate "C" > case when (t.position, t.written) = ($2, $3) then $4 else '' end)
       ) as e
       order by t.position, t.written, e.id collate "C" limit $7`,
      [owners, after.position, after.written, after.id, until, types, limit],
      'event-between',
    );
    return rows.map((row) => ({
      ...EVENTS.read(row),
      cursor: { position: BigInt(row.position), written: BigInt(row.written), id: row.id },
    }));
  }

  /**
   * The end of a page of about this many events: the first position that certainly contains as many. Undefined if there
   * are fewer events, so that the page reaches to the end.
   */
  async reach(
    owner: string,
    after: EventCursor,
    types: readonly EventType[],
    count: number,
  ): Promise<bigint | undefined> {
    const row = await this.db.one<{ position: string }>(
      `select greatest(m.position, $2) as position from event_watermark m
       where m.lower > (
         select e.written from event_watermark since cross join lateral (
           (select written from event
            where owner = $1 and written >= least(since.lower, $3::bigint) and type = any($4::text[])
            order by written limit $5 + 1)
           union all
           (select decided from charge
            where payer = $1 and decided >= least(since.lower, $3::bigint)
              and case state when 'released' then 'charge.released' else 'charge.charged' end = any($4::text[])
            order by decided limit $5 + 1)
         ) as e
         where since.position = $2 order by e.written offset $5 limit 1
       ) order by m.lower, m.position limit 1`,
      [owner, after.position, after.written, types, count],
      'event-reach',
    );
    return row && BigInt(row.position);
  }

  /** The cursor of an owner's event. Undefined if there is no such event, or if its position is no longer kept. */
  async cursorOf(owner: string, id: string): Promise<EventCursor | undefined> {
    const row = await this.db.one<CursorRow>(
      `select e.id, e.written, w.position from (
         select id, written from event where id = $1 and owner = $2
         union all
         select * from (select id, written from (${DECIDED_CHARGES}
           where charge.id = 'ch_' || substr($1, 5, length($1) - 6) and payer = $2 and decided is not null) as c) as d
         where d.id = $1
       ) as e
       cross join lateral (${placeIn('e.written')}) as w`,
      [id, owner],
      'event-place',
    );
    return row && { id: row.id, written: BigInt(row.written), position: BigInt(row.position) };
  }

  /** Events by their ids, with or without a position; events of charges always have one. */
  async some(ids: readonly string[]): Promise<Event[]> {
    const rows = await this.db.rows(
      `select ${EVENTS.columns} from event where id = any($1)
       union all
       select e.id, e.owner, e.type, e.data, coalesce(e.created_at, w.seen_at), e.written from (${DECIDED_CHARGES}
         where decided is not null and charge.id in (
           select 'ch_' || substr(id, 5, length(id) - 6) from unnest($1::text[]) as id where id ~ '[.][cl]$')) as e
       cross join lateral (${placeIn('e.written')}) as w where e.id = any($1)
       order by written, id`,
      [ids],
      'event-some',
    );
    return rows.map(EVENTS.read);
  }

  /**
   * The person of each event: of the call that the event is about, or the maker of the key or endpoint. Events of the
   * whole owner, such as top-ups, have no person.
   */
  async membersOf(events: readonly Pick<Event, 'id' | 'data'>[]): Promise<ReadonlyMap<string, string>> {
    if (events.length === 0) return new Map();
    const column = (name: string): unknown[] => events.map(({ data }) => data[name] ?? null);
    const rows = await this.db.rows<{ id: string; member: string | null }>(
      `select e.id, coalesce(
         (select ${memberOfCall('c')} from charge c where c.id = coalesce(
           (select j.charge_id from job j where j.id = e.subject), e.subject)),
         e.member, ${memberOfKey('coalesce(e.key_id, e.subject)')}) as member
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as e (id, subject, key_id, member)`,
      [events.map(({ id }) => id), column('id'), column('key_id'), column('member_id')],
      'event-members',
    );
    return new Map(rows.flatMap(({ id, member }) => (member === null ? [] : [[id, member] as const])));
  }
}
