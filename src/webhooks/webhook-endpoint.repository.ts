import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';

import type { EventType } from '../events/log/event-types';
import { ifPresent, present } from '../kernel/present';
import { Database } from '../platform/database/database';
import { tableOf } from '../platform/database/table';
import type { MarkedCall } from '../platform/http/routes/idempotency-key';
import { WebhookEndpoint } from './webhook-endpoint.entity';
import { WebhookSecret } from './webhook-secret.entity';

const ENDPOINTS = tableOf(WebhookEndpoint);

/** An owner's endpoints have places, of which there are so many. */
export const ENDPOINTS_MAX = 10;
/** Those of an endpoint that sign together: the newest, and what came before it. */
const SECRETS_MAX = 5;
/** Two that come at once may want the same place. */
const PLACE_TRIES = ENDPOINTS_MAX;

/** A secret before it exists. */
export interface NewSecret {
  readonly id: string;
  readonly sealed: Buffer;
}

export interface NewEndpoint {
  readonly id: string;
  readonly owner: string;
  readonly url: string;
  readonly host: string;
  readonly types?: readonly EventType[];
  readonly secret: NewSecret;
  readonly call?: MarkedCall;
}

export interface EndpointChange {
  readonly url?: string;
  readonly host?: string;
  readonly types?: readonly EventType[];
  readonly enabled?: boolean;
}

/** The rows of endpoints and of their secrets. Whose they are stands in every condition. */
@Injectable()
export class WebhookEndpointRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(WebhookEndpoint) private readonly endpoints: Repository<WebhookEndpoint>,
    @InjectRepository(WebhookSecret) private readonly secrets: Repository<WebhookSecret>,
  ) {}

  /** Undefined when the owner has no place left, or has made one by the same mark. */
  async create(draft: NewEndpoint): Promise<WebhookEndpoint | undefined> {
    for (let tries = 0; tries < PLACE_TRIES; tries += 1) {
      const row = await this.db.one(
        `with free as (
           select min(place) as place from generate_series(1, ${ENDPOINTS_MAX}) as place
           where not exists (select from webhook_endpoint e where e.owner = $2 and e.place = place.place)
         ), made as (
           insert into webhook_endpoint (id, owner, place, url, host, types, mark, made_by)
           select $1, $2, place, $3, $4, $5, $6, $7 from free where place is not null
           on conflict do nothing
           returning ${ENDPOINTS.columns}
         ), secret as (
           insert into webhook_secret (id, endpoint_id, sealed) select $8, id, $9 from made
         )
         select * from made`,
        [
          draft.id,
          draft.owner,
          draft.url,
          draft.host,
          ifPresent(draft.types, JSON.stringify),
          draft.call?.mark,
          draft.call?.fingerprint,
          draft.secret.id,
          draft.secret.sealed,
        ],
        'webhook-endpoint-create',
      );
      if (row !== undefined) return ENDPOINTS.read(row);
      const { call } = draft;
      const isMarked = call !== undefined && (await this.marked(draft.owner, call.mark)) !== undefined;
      if (isMarked || (await this.ofOwner(draft.owner)).length >= ENDPOINTS_MAX) return undefined;
    }
    return undefined;
  }

  /** With what its call looked like. */
  async marked(owner: string, mark: string): Promise<WebhookEndpoint | undefined> {
    const row = await this.db.one(
      `select ${ENDPOINTS.columns}, made_by from webhook_endpoint where owner = $1 and mark = $2`,
      [owner, mark],
      'webhook-endpoint-marked',
    );
    return row && ENDPOINTS.read(row);
  }

  ofOwner(owner: string): Promise<WebhookEndpoint[]> {
    return this.endpoints.find({ where: { owner }, order: { createdAt: 'asc', id: 'asc' } });
  }

  async find(owner: string, id: string): Promise<WebhookEndpoint | undefined> {
    return present(await this.endpoints.findOneBy({ id, owner }));
  }

  async ownerOf(id: string): Promise<string | undefined> {
    return (await this.endpoints.findOne({ where: { id }, select: { id: true, owner: true } }))?.owner;
  }

  /** What waits for one that is disabled is not sent later; what waits for one that moves goes to where it is then. */
  async change(owner: string, id: string, change: EndpointChange): Promise<WebhookEndpoint | undefined> {
    const row = await this.db.one(
      `with before as (
         select id, enabled, url from webhook_endpoint where id = $1 and owner = $2 for no key update
       ), changed as (
         update webhook_endpoint e set
           url = coalesce($3, e.url), host = coalesce($4, e.host), types = coalesce($5, e.types),
           enabled = coalesce($6, e.enabled),
           disabled_reason = case when coalesce($6, e.enabled) then null else coalesce(e.disabled_reason, 'owner') end,
           enabled_at = case when $6 and not b.enabled then now() else e.enabled_at end,
           failing_since = case when $6 and not b.enabled or $3 <> b.url then null else e.failing_since end,
           rest_until = case when $6 and not b.enabled or $3 <> b.url then null else e.rest_until end
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
      [id, owner, change.url, change.host, ifPresent(change.types, JSON.stringify), change.enabled],
      'webhook-endpoint-change',
    );
    return row && ENDPOINTS.read(row);
  }

  /** With all that was or will be sent there. */
  async remove(owner: string, id: string): Promise<boolean> {
    const rows = await this.db.rows(
      `with gone as (
         delete from webhook_endpoint where id = $1 and owner = $2 returning id
       ), deliveries as (
         delete from webhook_delivery d using gone where d.target = gone.id
       )
       select id from gone`,
      [id, owner],
      'webhook-endpoint-remove',
    );
    return rows.length === 1;
  }

  /** A new secret signs from now on; what came before it, until the overlap ends. False when it isn't the owner's. */
  async rotate(
    owner: string,
    endpointId: string,
    secret: NewSecret,
    overlapSeconds: number,
    call: MarkedCall | undefined,
  ): Promise<boolean> {
    const rows = await this.db.rows(
      `with endpoint as (
         select id from webhook_endpoint where id = $1 and owner = $2 for no key update
       ), kept as (
         select s.id from webhook_secret s join endpoint e on e.id = s.endpoint_id
         where s.signs_until is null or s.signs_until > now() order by s.created_at desc, s.id limit ${SECRETS_MAX - 1}
       ), ending as (
         update webhook_secret s set signs_until = least(s.signs_until, now() + make_interval(secs => $5))
         from kept where s.id = kept.id
       ), ended as (
         delete from webhook_secret s using endpoint e
         where s.endpoint_id = e.id and s.id not in (select id from kept)
       )
       insert into webhook_secret (id, endpoint_id, sealed, mark, made_by)
       select $3, id, $4, $6, $7 from endpoint returning id`,
      [endpointId, owner, secret.id, secret.sealed, overlapSeconds, call?.mark, call?.fingerprint],
      'webhook-secret-rotate',
    );
    return rows.length === 1;
  }

  /** Those that sign now, the newest first. */
  async secretsOf(endpointId: string): Promise<readonly Buffer[]> {
    const rows = await this.db.rows<{ sealed: Buffer }>(
      `select sealed from webhook_secret where endpoint_id = $1 and (signs_until is null or signs_until > now())
       order by created_at desc, id`,
      [endpointId],
      'webhook-secrets',
    );
    return rows.map(({ sealed }) => sealed);
  }

  /** All there are, in the order of their ids. */
  secretsAfter(id: string, limit: number): Promise<WebhookSecret[]> {
    return this.secrets.find({ where: { id: MoreThan(id) }, order: { id: 'asc' }, take: limit });
  }

  /** The same secret in another seal; not where it was sealed anew meanwhile. */
  async reseal({ id, sealed }: WebhookSecret, anew: Buffer): Promise<void> {
    await this.secrets.update({ id, sealed }, { sealed: anew });
  }

  /** The secret that an earlier rotation with the same mark has made. */
  async rotatedBy(endpointId: string, mark: string): Promise<WebhookSecret | undefined> {
    const select = { id: true, sealed: true, madeBy: true } as const;
    return present(await this.secrets.findOne({ where: { endpointId, mark }, select }));
  }
}

/** What a delivery says that its endpoint will not be brought any more. */
export const DISABLED = 'the endpoint was disabled';

const columnsOf = (table: string): string =>
  ENDPOINTS.columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ');
