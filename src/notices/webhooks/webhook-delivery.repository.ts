import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { EVENT_DAYS } from '#notices/outbox/event-retention';
import { present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { ItemColumns } from '#platform/database/batch-rows';
import { tableOf } from '#platform/database/table';
import type { Exchange } from './webhook-exchange';
import { CALL_TRIES_MAX, TRIED_SECONDS_MAX } from './retry-schedule';
import { CALL, type DeliveryState, WebhookDelivery } from './webhook-delivery.entity';
import { DISABLED } from './webhook-endpoint.repository';
import { HOST_DELIVERIES_MAX, OWNER_DELIVERIES_MAX } from './webhook-limits';
import type { Attempt } from './webhook-sender';
import { type SweptRows, deletedRows } from '#platform/queue/sweep-rows.repository';

const DELIVERIES = tableOf(WebhookDelivery);

/**
 * Longer than a try may take, including the beginnings of three earlier tries. After this time its process counts as
 * dead.
 */
const TAKEN_SECONDS_MAX = 30;
/** The failures of a delivery span a little less than a day: the first one is recorded shortly after the first try. */
const FAILING_SECONDS_MAX = TRIED_SECONDS_MAX - 60;

/** A delivery to try now, with the data for it. */
export interface TakenDelivery extends Pick<
  WebhookDelivery,
  'target' | 'eventId' | 'type' | 'owner' | 'tries' | 'firstTriedAt'
> {
  readonly url: string;
  /** The endpoint's secrets, encrypted. */
  readonly sealed: readonly Buffer[];
}

/** The outcome of a try, and its consequences. */
export interface Finished {
  readonly target: string;
  readonly eventId: string;
  /** `forgotten` if its event is no longer kept. This does not count as a failure of the receiver. */
  readonly outcome: Attempt['outcome'] | 'forgotten';
  readonly status?: number;
  readonly error?: string;
  /** The seconds until the next try, if there is one. */
  readonly seconds: number;
  /** The seconds for which the receiver asked for no deliveries. */
  readonly pauseSeconds?: number;
  /** The id of the event about the disabled endpoint, if this try disables it. */
  readonly noticeId: string;
  /** Absent if nothing was sent. */
  readonly exchange?: Exchange & { readonly id: string; readonly type: string };
}

const FINISHED = new ItemColumns<Finished>({
  target: ['text', ({ target }) => target],
  event_id: ['text', ({ eventId }) => eventId],
  outcome: ['text', ({ outcome }) => outcome],
  status: ['smallint', ({ status }) => status],
  error: ['text', ({ error }) => error],
  seconds: ['float8', ({ seconds }) => seconds],
  pause: ['float8', ({ pauseSeconds }) => pauseSeconds],
  notice_id: ['text', ({ noticeId }) => noticeId],
  try_id: ['text', ({ exchange }) => exchange?.id],
  type: ['text', ({ exchange }) => exchange?.type],
  ms: ['integer', ({ exchange }) => exchange?.durationMs],
  payload: ['text', ({ exchange }) => exchange?.payload],
  sent: ['text', ({ exchange }) => exchange && JSON.stringify(exchange.sent)],
  received: ['text', ({ exchange }) => exchange && JSON.stringify(exchange.received)],
  body: ['text', ({ exchange }) => exchange?.body],
});

interface Page {
  readonly limit: number;
  readonly state?: DeliveryState;
  /** The event of the last delivery on the previous page. */
  readonly before?: string;
}

/** Waiting deliveries, for operators. */
export interface Backlog {
  readonly pending: number;
  readonly oldestSeconds: number;
}

const DUE = `state = 'pending' and due_at <= now() and (taken_until is null or taken_until <= now())`;
const PLACE = 'due_at, position, written, event_id';

/** A closed account gets no deliveries. A wallet is no account. */
export const isClosed = (owner: string): string =>
  `exists (select from account a where a.id = ${owner} and a.banned_at is not null)`;

/** Whether the key or the member of an endpoint may still act; most endpoints belong to their owner alone. */
export const LIVES = `(e.key_id is null and e.member_id is null or endpoint_lives(e.owner, e.key_id, e.member_id))`;

/** Waiting deliveries of endpoints that were deleted or disabled meanwhile, and of closed accounts. They end. */
export const STRAY_DELIVERIES: SweptRows = {
  step: 'stray-deliveries',
  table: 'webhook_delivery',
  key: 'webhook_delivery.target, webhook_delivery.event_id',
  due: `state = 'pending' and (${isClosed('webhook_delivery.owner')} or webhook_delivery.target <> '${CALL}' and not exists (
    select from webhook_endpoint e where e.id = webhook_delivery.target and e.enabled and ${LIVES}))`,
  act: (keys) => `
    with stray as (
      select d.target, d.event_id, e.id as endpoint_id, ${isClosed('d.owner')} as closed
      from webhook_delivery d left join webhook_endpoint e on e.id = d.target where (d.target, d.event_id) in (${keys})
    ), gone as (
      delete from webhook_delivery d using stray s
      where d.target = s.target and d.event_id = s.event_id and s.endpoint_id is null and d.target <> '${CALL}'
      returning 1
    ), ended as (
      update webhook_delivery d set state = 'failed',
        last_error = case when s.closed then 'the account was closed' else '${DISABLED}' end
      from stray s
      where d.target = s.target and d.event_id = s.event_id and (s.endpoint_id is not null or d.target = '${CALL}')
      returning 1
    )
    select 1 from gone union all select 1 from ended`,
};

/** Deliveries whose events are no longer kept. */
export const OLD_DELIVERIES = deletedRows({
  step: 'old-deliveries',
  table: 'webhook_delivery',
  key: 'target, event_id',
  due: `created_at < now() - interval '${EVENT_DAYS} days'`,
  order: 'created_at',
});

/** The rows of deliveries. They hold all due work; a queue only has the names of the hosts. */
@Injectable()
export class WebhookDeliveryRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(WebhookDelivery) private readonly deliveries: Repository<WebhookDelivery>,
  ) {}

  /** The database's time in milliseconds, which all processes share. */
  async now(): Promise<number> {
    const row = await this.db.one<{ now: string }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
      [],
      'webhook-clock',
    );
    return Number(row?.now ?? 0);
  }

  /** Wakes the workers that already send to these hosts, in any process. */
  async notifyDue(hosts: readonly string[]): Promise<void> {
    await this.db.rows(
      `select pg_notify('webhook_due', host) from unnest($1::text[]) as host`,
      [hosts],
      'webhook-notify',
    );
  }

  /** Hosts with due deliveries, by one index look-up for each host with waiting deliveries. */
  async dueHosts(): Promise<readonly string[]> {
    const next = (behind: string): string =>
      `select host, due_at from webhook_delivery where state = 'pending' ${behind} order by host, due_at limit 1`;
    const rows = await this.db.rows<{ host: string }>(
      `with recursive waiting as (
         (${next('')})
         union all
         select n.host, n.due_at from waiting w cross join lateral (${next('and host > w.host')}) n
       )
       select host from waiting where due_at <= now()`,
      [],
      'webhook-due-hosts',
    );
    return rows.map(({ host }) => host);
  }

  /**
   * Takes the deliveries to try now at a host, within its limits for all processes: round-robin by owner, and the
   * oldest first for each endpoint. If another process is sending to an endpoint, only that process sends to it,
   * because it alone knows the order of its first tries. Owners in `full` get none.
   */
  async take(host: string, me: string, full: readonly string[]): Promise<TakenDelivery[]> {
    const rows = await this.db.rows<{ event_id: string; url: string; sealed: Buffer[] }>(
      `with busy as (
         select owner, count(*) as taken from webhook_delivery where host = $1 and taken_until > now() group by owner
       ), due as (
         select d.* from webhook_endpoint e cross join lateral (
           select target, owner, ${PLACE} from webhook_delivery where target = e.id and ${DUE}
           order by ${PLACE} limit ${OWNER_DELIVERIES_MAX}) d
         where e.host = $1 and e.owner <> all($3::text[]) and e.enabled and ${LIVES} and not ${isClosed('e.owner')} and (e.rest_until is null or e.rest_until <= now()) and not exists (
           select from webhook_delivery o where o.host = $1 and o.target = e.id and o.taken_until > now() and o.taken_by <> $2)
         union all
         select d.* from (
           select distinct owner from webhook_delivery d
           where host = $1 and owner <> all($3::text[]) and target = '${CALL}' and ${DUE} and not ${isClosed('d.owner')}) o
         cross join lateral (
           select target, owner, ${PLACE} from webhook_delivery
           where host = $1 and owner = o.owner and target = '${CALL}' and ${DUE}
           order by due_at limit ${OWNER_DELIVERIES_MAX}) d
       ), in_turn as (
         select d.*, coalesce(b.taken, 0) + row_number() over (partition by d.owner order by ${PLACE}) as turn
         from due d left join busy b using (owner)
       ), chosen as (
         select * from in_turn where turn <= ${OWNER_DELIVERIES_MAX} order by turn, due_at
         limit greatest(0, ${HOST_DELIVERIES_MAX} - (select coalesce(sum(taken), 0) from busy))
       ), taken as (
         update webhook_delivery d set taken_until = now() + make_interval(secs => ${TAKEN_SECONDS_MAX}), taken_by = $2,
           first_tried_at = coalesce(d.first_tried_at, now())
         from chosen c
         where d.target = c.target and d.event_id = c.event_id and d.state = 'pending'
           and (d.taken_until is null or d.taken_until <= now())
         returning d.*
       )
       select t.*, coalesce(t.url, e.url) as url, array(
         select s.sealed from webhook_secret s
         where s.endpoint_id = t.target and (s.signs_until is null or s.signs_until > now())
         order by s.created_at desc, s.id) as sealed
       from taken t left join webhook_endpoint e on e.id = t.target
       order by t.due_at, t.position, t.written, t.event_id`,
      [host, me, full],
      'webhook-delivery-take',
    );
    return rows.map((row) => ({ ...DELIVERIES.read(row), url: row.url, sealed: row.sealed }));
  }

  /**
   * Stores the outcomes of tries, their consequences for endpoints, and the event about a disabled endpoint, in one
   * statement.
   */
  async finish(finished: readonly Finished[]): Promise<void> {
    await this.db.rows(
      `with result as (
         select * from ${FINISHED.table('r')}
       ), kept as (
         insert into webhook_try (id, target, event_id, type, duration_ms, status, error, payload, sent, received, body)
         select try_id, target, event_id, type, ms, status, error, payload, sent::jsonb, received::jsonb, body
         from result where try_id is not null and target <> '${CALL}'
         on conflict do nothing
       ), tried as (
         update webhook_delivery d set
           tries = d.tries + 1, last_status = r.status, last_error = r.error, last_tried_at = now(), taken_until = null,
           state = case
             when r.outcome = 'delivered' then 'delivered'
             when d.state = 'failed' or r.outcome in ('gone', 'forgotten') then 'failed'
             when d.target = '${CALL}' and d.tries + 1 >= ${CALL_TRIES_MAX} then 'failed'
             when d.first_tried_at <= now() - make_interval(secs => ${TRIED_SECONDS_MAX}) then 'failed'
             else 'pending' end,
           due_at = least(now() + make_interval(secs => r.seconds),
             greatest(now(), d.first_tried_at + make_interval(secs => ${TRIED_SECONDS_MAX})))
         from result r
         where d.target = r.target and d.event_id = r.event_id and d.state <> 'delivered'
           and d.taken_until is not null -- An owner who asks for the event again ends the claim of a running try.
         returning d.target, d.event_id, r.outcome, r.pause, r.notice_id
       ), outcomes as (
         select target, bool_or(outcome = 'delivered') as works, bool_or(outcome = 'gone') as gone,
           max(pause) as pause, min(notice_id) as notice_id
         from tried where outcome <> 'forgotten' group by target
       ), before as (
         select e.id, e.enabled, s.gone, s.works, s.pause, s.notice_id, coalesce(e.failing_since, now()) as since
         from webhook_endpoint e join outcomes s on s.target = e.id
         where not s.works or s.gone or e.failing_since is not null order by e.id for no key update of e
       ), judged as (
         select b.*, case
           when not b.enabled then null
           when b.gone then 'gone'
           when not b.works and b.since <= now() - make_interval(secs => ${FAILING_SECONDS_MAX}) then 'failing' end as ends
         from before b
       ), moved as (
         update webhook_endpoint e set
           failing_since = case when j.works then null else j.since end,
           rest_until = case when j.pause is null then e.rest_until
             else greatest(e.rest_until, now() + make_interval(secs => j.pause)) end,
           enabled = e.enabled and j.ends is null, disabled_reason = coalesce(e.disabled_reason, j.ends)
         from judged j where e.id = j.id
         returning e.*, j.ends, j.notice_id
       ), stopped as (
         update webhook_delivery d set state = 'failed', last_error = '${DISABLED}'
         from moved m
         where m.ends is not null and d.target = m.id and d.state = 'pending'
           and (d.target, d.event_id) not in (select target, event_id from tried)
       ), notified as (
         insert into event (id, owner, type, data)
         select m.notice_id, m.owner, 'webhook.disabled', to_jsonb(m) - array['ends', 'notice_id', 'mark', 'made_by', 'place', 'member_id']
         from moved m where m.ends is not null
       )
       select count(*) from tried`,
      FINISHED.valuesOf(finished),
      'webhook-delivery-finish',
    );
  }

  /** Newest first. */
  async page(target: string, { limit, state, before }: Page): Promise<WebhookDelivery[]> {
    const rows = await this.db.rows(
      `select ${DELIVERIES.columns} from webhook_delivery
       where target = $1 and ($2::text is null or state = $2)
         and ($3::text is null or (created_at, event_id) < (
           select created_at, event_id from webhook_delivery where target = $1 and event_id = $3))
       order by created_at desc, event_id desc limit $4`,
      [target, state, before, limit],
      'webhook-delivery-page',
    );
    return rows.map(DELIVERIES.read);
  }

  async find(target: string, eventId: string): Promise<WebhookDelivery | undefined> {
    return present(await this.deliveries.findOneBy({ target, eventId }));
  }

  /** Makes a delivery due now, even while a try runs. It gets all its tries again. */
  async again(draft: Pick<WebhookDelivery, 'target' | 'eventId' | 'type' | 'owner' | 'host'>): Promise<void> {
    await this.db.rows(
      `insert into webhook_delivery as d (target, event_id, type, owner, host, position, written, due_at)
       values ($1, $2, $3, $4, $5, 0, 0, now())
       on conflict (target, event_id) do update set state = 'pending', tries = 0, first_tried_at = null,
         taken_until = null, due_at = now()`,
      [draft.target, draft.eventId, draft.type, draft.owner, draft.host],
      'webhook-delivery-again',
    );
  }

  async backlog(): Promise<Backlog> {
    const row = await this.db.one<{ pending: string; oldest: number | null }>(
      `select count(*) as pending, extract(epoch from now() - min(created_at))::float8 as oldest from webhook_delivery
       where state = 'pending'`,
      [],
      'webhook-backlog',
    );
    return { pending: Number(row?.pending ?? 0), oldestSeconds: row?.oldest ?? 0 };
  }
}
