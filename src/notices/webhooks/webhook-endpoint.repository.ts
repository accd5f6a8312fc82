import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';

import type { EventType } from '#notices/outbox/event-types';
import { ifPresent, present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { named } from '#platform/database/named-sql';
import { withOwnerLock } from '#platform/database/owner-lock';
import { tableOf } from '#platform/database/table';
import type { IdempotentCall } from '#platform/http/routes/idempotency-key';
import type { View } from '#people/keys/visible-rows';
import { developerOf, memberOfKey } from '#people/keys/visible-rows.sql';
import { ENDPOINTS_MAX, ENDPOINTS_OF_KEYS_MAX, ENDPOINTS_OF_KEY_MAX, SECRETS_MAX } from './webhook-limits';
import { WebhookEndpoint } from './webhook-endpoint.entity';
import { WebhookSecret } from './webhook-secret.entity';
import type { SweptRows } from '#platform/queue/sweep-rows.repository';

const ENDPOINTS = tableOf(WebhookEndpoint);

/** The developer who made an endpoint `e`, with a session or with a key; null for makers with another role. */
export const DEVELOPER_OF_ENDPOINT = developerOf(
  'e.owner',
  `coalesce(e.member_id, ${memberOfKey('e.key_id')})`,
);

/**
 * Retired secrets of calls with an idempotency key are kept for a day, so that a repetition makes no second rotation.
 */
const MARKS_MAX = 50;

/** A secret before its row exists. */
export interface NewWebhookSecret {
  readonly id: string;
  readonly sealed: Buffer;
}

/** The condition for the endpoints of a view, with the placeholders of its owner, key and member. */
const endpointsOf = (owner: string, onlyKey: string, onlyMember: string): string =>
  `owner = ${owner} and (${onlyKey}::text is null or key_id = ${onlyKey}) and (${onlyMember}::text is null
    or coalesce(webhook_endpoint.member_id, ${memberOfKey('webhook_endpoint.key_id')}) = ${onlyMember})`;

/**
 * The maker of an endpoint: a key, a member of an organisation, or else the owner. The endpoint ends with its maker.
 */
export interface EndpointMaker {
  readonly keyId?: string;
  readonly memberId?: string;
}

export interface NewEndpoint extends View {
  readonly id: string;
  readonly maker: EndpointMaker;
  readonly url: string;
  readonly host: string;
  readonly types?: readonly EventType[];
  readonly secret: NewWebhookSecret;
  readonly call?: IdempotentCall;
}

export interface EndpointChange {
  readonly url?: string;
  readonly host?: string;
  readonly types?: readonly EventType[];
  readonly enabled?: boolean;
}

/** Endpoints of keys that have ended. They are deleted with their deliveries. */
export const ENDED_ENDPOINTS: SweptRows = {
  step: 'ended-endpoints',
  table: 'webhook_endpoint',
  key: 'webhook_endpoint.id',
  due: `exists (
    select from api_key k join api_key level on level.id = any(k.above || k.id)
    where k.id = webhook_endpoint.key_id and (level.deleted_at is not null or level.expires_at <= now()))`,
  act: (keys) => `
    with gone as (
      delete from webhook_endpoint where id in (${keys}) returning id
    ), deliveries as (
      delete from webhook_delivery d using gone where d.target = gone.id
    )
    select 1 from gone`,
};

/** The error of a delivery whose endpoint gets no more tries. */
export const DISABLED = 'the endpoint was disabled';

const columnsOf = (table: string): string =>
  ENDPOINTS.columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ');

const CREATE = named(
  `with free as (
    select min(place) as place from generate_series(:firstSlot::int, ${ENDPOINTS_MAX}) as place
    where not exists (select from webhook_endpoint e where e.owner = :owner and e.place = place.place)
      and (:onlyKey::text is null
        or (select count(*) from webhook_endpoint e where e.key_id = :onlyKey) < ${ENDPOINTS_OF_KEY_MAX})
  ), made as (
    insert into webhook_endpoint (id, owner, place, url, host, types, mark, made_by, key_id, member_id)
    select :id, :owner, place, :url, :host, :types, :mark, :fingerprint, :key, :member from free where place is not null
    on conflict do nothing
    returning ${ENDPOINTS.columns}
  ), secret as (
    insert into webhook_secret (id, endpoint_id, sealed) select :secretId, id, :sealed from made
  )
  select * from made`,
);

const CHANGE = named(
  `with before as (
    select e.id, e.enabled, e.url,
      (:url <> e.url or :enabled and (e.disabled_reason = 'maker' or not endpoint_lives(e.owner, e.key_id, e.member_id)))
        and not exists (select from api_key k where k.id = e.key_id and k.depth > 0) as is_taken_over
    from webhook_endpoint e
    where id = :id and owner = :owner and (:onlyKey::text is null or key_id = :onlyKey) for no key update
  ), changed as (
    update webhook_endpoint e set
      url = coalesce(:url, e.url), host = coalesce(:host, e.host), types = coalesce(:types, e.types),
      enabled = coalesce(:enabled, e.enabled),
      disabled_reason = case when coalesce(:enabled, e.enabled) then null else coalesce(e.disabled_reason, 'owner') end,
      enabled_at = case when :enabled and not b.enabled then now() else e.enabled_at end,
      failing_since = case when :enabled and not b.enabled or :url <> b.url then null else e.failing_since end,
      rest_until = case when :enabled and not b.enabled or :url <> b.url then null else e.rest_until end,
      key_id = case when b.is_taken_over then :key else e.key_id end,
      member_id = case when b.is_taken_over then :member else e.member_id end
    from before b where e.id = b.id
    returning ${columnsOf('e')}
  ), waiting as (
    update webhook_delivery d set host = c.host,
      state = case when c.enabled then d.state else 'failed' end,
      last_error = case when c.enabled then d.last_error else '${DISABLED}' end,
      taken_until = case when c.enabled then d.taken_until end
    from changed c where d.target = c.id and d.state = 'pending' and (d.host <> c.host or not c.enabled)
  )
  select * from changed`,
);

const ROTATE = named(
  `with endpoint as (
    select id from webhook_endpoint
    where id = :id and owner = :owner and (:onlyKey::text is null or key_id = :onlyKey) for no key update
  ), kept as (
    select s.id from webhook_secret s join endpoint e on e.id = s.endpoint_id
    where s.signs_until is null or s.signs_until > now() order by s.created_at desc, s.id limit ${SECRETS_MAX - 1}
  ), ending as (
    update webhook_secret s set signs_until = least(s.signs_until, now() + make_interval(secs => :overlapSeconds))
    from kept where s.id = kept.id
  ), marked as (
    select s.id from webhook_secret s join endpoint e on e.id = s.endpoint_id
    where s.mark is not null and s.created_at > now() - interval '1 day' and s.id not in (select id from kept)
    order by s.created_at desc, s.id limit ${MARKS_MAX}
  ), remembered as (
    update webhook_secret s set signs_until = least(s.signs_until, now()) from marked where s.id = marked.id
  ), ended as (
    delete from webhook_secret s using endpoint e
    where s.endpoint_id = e.id and s.id not in (select id from kept) and s.id not in (select id from marked)
  )
  insert into webhook_secret (id, endpoint_id, sealed, mark, made_by)
  select :secretId, id, :sealed, :mark, :fingerprint from endpoint returning id`,
);

/** The rows of endpoints and their secrets. Every condition names the owner. */
@Injectable()
export class WebhookEndpointRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(WebhookEndpoint) private readonly endpoints: Repository<WebhookEndpoint>,
    @InjectRepository(WebhookSecret) private readonly secrets: Repository<WebhookSecret>,
  ) {}

  /** Undefined if the owner or the key has no free slot, or if the same idempotency key has made an endpoint. */
  async create(draft: NewEndpoint): Promise<WebhookEndpoint | undefined> {
    await this.removeEnded(draft.owner);
    const isOfPart = draft.onlyKey !== undefined;
    const row = await withOwnerLock(this.db, 'webhook endpoints', draft.owner, (queries) =>
      queries.one(
        ...CREATE({
          id: draft.id,
          owner: draft.owner,
          url: draft.url,
          host: draft.host,
          types: ifPresent(draft.types, JSON.stringify),
          mark: draft.call?.mark,
          fingerprint: draft.call?.fingerprint,
          secretId: draft.secret.id,
          sealed: draft.secret.sealed,
          firstSlot: isOfPart ? ENDPOINTS_MAX - ENDPOINTS_OF_KEYS_MAX + 1 : 1,
          key: draft.maker.keyId,
          member: draft.maker.memberId,
          onlyKey: draft.onlyKey,
        }),
        'webhook-endpoint-create',
      ),
    );
    return row && ENDPOINTS.read(row);
  }

  /**
   * Deletes endpoints of expired keys, of one owner or of all. Endpoints of deleted keys were deleted with the keys.
   */
  async removeEnded(owner: string): Promise<void> {
    await this.db.rows(
      ENDED_ENDPOINTS.act(
        `select webhook_endpoint.id from webhook_endpoint where owner = $1 and ${ENDED_ENDPOINTS.due}`,
      ),
      [owner],
      'webhook-endpoint-remove-ended',
    );
  }

  /** Also returns the fingerprint of the call that made it. */
  async marked(owner: string, mark: string): Promise<WebhookEndpoint | undefined> {
    const row = await this.db.one(
      `select ${ENDPOINTS.columns}, made_by from webhook_endpoint where owner = $1 and mark = $2`,
      [owner, mark],
      'webhook-endpoint-marked',
    );
    return row && ENDPOINTS.read(row);
  }

  async ofOwner({ owner, onlyKey, onlyMember }: View): Promise<WebhookEndpoint[]> {
    const rows = await this.db.rows(
      `select ${ENDPOINTS.columns} from webhook_endpoint where ${endpointsOf('$1', '$2', '$3')} order by created_at, id`,
      [owner, onlyKey, onlyMember],
      'webhook-endpoint-list',
    );
    return rows.map((row) => ENDPOINTS.read(row));
  }

  async find({ owner, onlyKey, onlyMember }: View, id: string): Promise<WebhookEndpoint | undefined> {
    const row = await this.db.one(
      `select ${ENDPOINTS.columns} from webhook_endpoint where id = $4 and ${endpointsOf('$1', '$2', '$3')}`,
      [owner, onlyKey, onlyMember, id],
      'webhook-endpoint-find',
    );
    return row && ENDPOINTS.read(row);
  }

  /** The view of an endpoint's maker: the endpoint receives the events that this view contains. */
  async viewOf({ id, owner }: WebhookEndpoint): Promise<View> {
    const row = await this.db.one<{ only_key: string | null; developer: string | null }>(
      `select k.id as only_key, ${DEVELOPER_OF_ENDPOINT} as developer
       from webhook_endpoint e left join api_key k on k.id = e.key_id and k.depth > 0 where e.id = $1`,
      [id],
      'webhook-endpoint-view',
    );
    return { owner, onlyKey: present(row?.only_key), onlyMember: present(row?.developer) };
  }

  async ownerOf(id: string): Promise<string | undefined> {
    return (await this.endpoints.findOne({ where: { id }, select: { id: true, owner: true } }))?.owner;
  }

  /**
   * Changes an endpoint. Deliveries that wait for a disabled endpoint are not sent later; those of a moved endpoint go
   * to its new address. A member becomes the maker by moving the endpoint, or by enabling it if its old maker may not
   * act any more. Endpoints of delegated keys keep their maker.
   */
  async change(
    { owner, onlyKey }: View,
    id: string,
    change: EndpointChange,
    by: EndpointMaker,
  ): Promise<WebhookEndpoint | undefined> {
    const row = await this.db.one(
      ...CHANGE({
        id,
        owner,
        url: change.url,
        host: change.host,
        types: ifPresent(change.types, JSON.stringify),
        enabled: change.enabled,
        onlyKey,
        key: by.keyId,
        member: by.memberId,
      }),
      'webhook-endpoint-change',
    );
    return row && ENDPOINTS.read(row);
  }

  /** Deletes an endpoint with all its deliveries. */
  async remove({ owner, onlyKey }: View, id: string): Promise<boolean> {
    const rows = await this.db.rows(
      `with gone as (
         delete from webhook_endpoint where id = $1 and owner = $2 and ($3::text is null or key_id = $3) returning id
       ), deliveries as (
         delete from webhook_delivery d using gone where d.target = gone.id
       ), tries as (
         delete from webhook_try t using gone where t.target = gone.id
       )
       select id from gone`,
      [id, owner, onlyKey],
      'webhook-endpoint-remove',
    );
    return rows.length === 1;
  }

  /**
   * The new secret signs from now on; previous ones sign until the overlap ends. False if the endpoint is not the
   * owner's.
   */
  async rotate(
    { owner, onlyKey }: View,
    endpointId: string,
    secret: NewWebhookSecret,
    overlapSeconds: number,
    call: IdempotentCall | undefined,
  ): Promise<boolean> {
    const rows = await this.db.rows(
      ...ROTATE({
        id: endpointId,
        owner,
        secretId: secret.id,
        sealed: secret.sealed,
        overlapSeconds,
        mark: call?.mark,
        fingerprint: call?.fingerprint,
        onlyKey,
      }),
      'webhook-secret-rotate',
    );
    return rows.length === 1;
  }

  /** The signing secrets, the newest first. */
  async secretsOf(endpointId: string): Promise<readonly Buffer[]> {
    const rows = await this.db.rows<{ sealed: Buffer }>(
      `select sealed from webhook_secret where endpoint_id = $1 and (signs_until is null or signs_until > now())
       order by created_at desc, id`,
      [endpointId],
      'webhook-secrets',
    );
    return rows.map(({ sealed }) => sealed);
  }

  /** All secrets, in the order of their ids. */
  secretsAfter(id: string, limit: number): Promise<WebhookSecret[]> {
    return this.secrets.find({ where: { id: MoreThan(id) }, order: { id: 'asc' }, take: limit });
  }

  /** Stores the secret under another encryption key, unless another process did so first. */
  async reseal({ id, sealed }: WebhookSecret, resealed: Buffer): Promise<void> {
    await this.secrets.update({ id, sealed }, { sealed: resealed });
  }

  /** The secret of an earlier rotation with the same idempotency key. */
  async rotatedBy(endpointId: string, mark: string): Promise<WebhookSecret | undefined> {
    const select = { id: true, sealed: true, madeBy: true, signsUntil: true } as const;
    return present(await this.secrets.findOne({ where: { endpointId, mark }, select }));
  }
}
