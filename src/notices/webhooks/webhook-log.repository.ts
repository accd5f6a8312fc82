import { Injectable } from '@nestjs/common';

import { type EventCursor, type StoredEvent, endOfPosition } from '#notices/outbox/event.repository';
import { isShared } from '#notices/outbox/event-visibility';
import { Database } from '#platform/database/database';
import { ItemColumns } from '#platform/database/batch-rows';
import { CALL } from './webhook-delivery.entity';
import { DEVELOPER_OF_ENDPOINT } from './webhook-endpoint.repository';
import { LIVES, isClosed } from './webhook-delivery.repository';

/** The host of a parsed address, as limits count it. */
const HOST_OF = (url: string): string =>
  `rtrim(btrim(substring(${url} from '^https?://(\\[[^]]+\\]|[^/:?#]+)'), '[]'), '.')`;

export interface Unread {
  readonly from: EventCursor;
  readonly latest: bigint;
  readonly owners: readonly string[];
  /** Whether an endpoint belongs to a developer, who sees only a part of the events. */
  readonly hasDevelopers: boolean;
}

/** Events for webhooks, with the cursor before and after them. `members` are the persons of the events. */
export interface Batch {
  readonly from: EventCursor;
  readonly to: EventCursor;
  readonly events: readonly StoredEvent[];
  readonly members: ReadonlyMap<string, string>;
}

interface UnreadRow {
  readonly position: string;
  readonly written: string;
  readonly event_id: string;
  readonly oldest: string;
  readonly latest: string;
  readonly owners: string[];
  readonly has_developers: boolean;
}

const NEW_EVENTS = new ItemColumns<{ readonly event: StoredEvent; readonly member: string | undefined }>({
  id: ['text', ({ event }) => event.id],
  owner: ['text', ({ event }) => event.owner],
  type: ['text', ({ event }) => event.type],
  created_at: ['timestamptz', ({ event }) => event.createdAt],
  position: ['bigint', ({ event }) => event.cursor.position],
  written: ['bigint', ({ event }) => event.cursor.written],
  key_id: ['text', ({ event }) => event.data['key_id']],
  member: ['text', ({ member }) => member],
  is_shared: ['boolean', ({ event }) => isShared(event.type)],
});

/** Reads the event log and writes its deliveries, with the cursor. */
@Injectable()
export class WebhookLogRepository {
  constructor(private readonly db: Database) {}

  /** The unread range, and the owners with endpoints. */
  async unread(): Promise<Unread> {
    const row = await this.db.one<UnreadRow>(
      `select c.position, c.written, c.event_id, w.oldest, w.latest,
         array(select distinct e.owner from webhook_endpoint e where e.enabled and not ${isClosed('e.owner')}) as owners,
         exists (select from webhook_endpoint e where e.enabled and ${DEVELOPER_OF_ENDPOINT} is not null) as has_developers
       from webhook_cursor c, (select min(position) as oldest, max(position) as latest from event_watermark) w`,
      [],
      'webhook-log-look',
    );
    if (row === undefined) throw new Error('The cursor of webhooks is gone.');
    const [position, oldest] = [BigInt(row.position), BigInt(row.oldest)];
    const from = { position, written: BigInt(row.written), id: row.event_id };
    // If the log no longer has events at the cursor, reading begins at its oldest event.
    return {
      from: position < oldest ? endOfPosition(oldest) : from,
      latest: BigInt(row.latest),
      owners: row.owners,
      hasDevelopers: row.has_developers,
    };
  }

  /**
   * Moves the cursor and makes the deliveries in one statement. Undefined if another process was faster. An endpoint
   * gets the events since it was enabled, as far as its maker sees them. The
   * last event of a job also goes to the address of its call. These are searched from the last position that was certainly read, so some
   * are found twice but made once. Returns the hosts with due deliveries.
   */
  async fanOut({ from, to, events, members }: Batch): Promise<readonly string[] | undefined> {
    const row = await this.db.one<{ moved: boolean; hosts: string[] }>(
      `with moved as (
         update webhook_cursor set position = $4, written = $5, event_id = $6, moved_at = greatest(moved_at, clock_timestamp())
         where (position, written, event_id) = ($1, $2, $3) or position < $1
         returning moved_at
       ), new_events as (
         select * from ${NEW_EVENTS.table('n', 6)}
       ), notified as (
         insert into webhook_delivery (target, event_id, type, owner, host, position, written, created_at, due_at)
         select e.id, n.id, n.type, n.owner, e.host, n.position, n.written, m.moved_at, m.moved_at
         from moved m cross join new_events n join webhook_endpoint e on e.owner = n.owner
           left join api_key k on k.id = e.key_id and k.depth > 0
         where e.enabled and (k.id is null or k.id = n.key_id) and ${LIVES} and not ${isClosed('e.owner')} and date_trunc('milliseconds', e.enabled_at) <= n.created_at
           and (n.is_shared or coalesce(${DEVELOPER_OF_ENDPOINT} = n.member, ${DEVELOPER_OF_ENDPOINT} is null))
           and (e.types is null or e.types ? n.type)
         on conflict do nothing
         returning host
       ), called as (
         insert into webhook_delivery (target, event_id, type, owner, host, url, position, written, created_at, due_at)
         select '${CALL}', e.id, e.type, e.owner, ${HOST_OF(`e.data->>'webhook_url'`)}, e.data->>'webhook_url', $1, e.written,
           m.moved_at, m.moved_at
         from moved m cross join event e
         where e.written >= (select lower from event_watermark where position = $1)
           and e.type in ('job.done', 'job.failed') and e.data->>'webhook_url' is not null and not ${isClosed('e.owner')}
         on conflict do nothing
         returning host
       )
       select exists (select from moved) as moved, array(select host from notified union select host from called) as hosts`,
      [
        from.position,
        from.written,
        from.id,
        to.position,
        to.written,
        to.id,
        ...NEW_EVENTS.valuesOf(events.map((event) => ({ event, member: members.get(event.id) }))),
      ],
      'webhook-fan-out',
    );
    return row?.moved === true ? row.hosts : undefined;
  }
}
