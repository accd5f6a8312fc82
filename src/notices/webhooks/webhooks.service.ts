import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';

import { accountLinks } from '#people/accounts/account-links';
import { Owners, type ProvenOwner } from '#money/billing/calls/owners';
import { EventPresenters } from '#notices/outbox/event-presenters';
import { EVENT_TYPES, type EventType } from '#notices/outbox/event-types';
import { Events } from '#notices/outbox/events';
import { unseenTypes } from '#notices/outbox/event-visibility';
import { Clock } from '#kernel/clock';
import { newId } from '#kernel/ids';
import type { View } from '#people/keys/visible-rows';
import { tableOf } from '#platform/database/table';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';
import { webhookTargetOf } from './webhook-url';
import type { IdempotentCall } from '#platform/http/routes/idempotency-key';
import { WebhookHostQueue } from './webhook-host-queue';
import type { DeliveryState, WebhookDelivery } from './webhook-delivery.entity';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';
import { WebhookEndpoint } from './webhook-endpoint.entity';
import { type EndpointMaker, WebhookEndpointRepository } from './webhook-endpoint.repository';
import { withRecipient } from './webhook-messages';
import { WebhookSecrets } from './webhook-secrets';
import { WebhookSender } from './webhook-sender';
import { WebhookTryRepository } from './webhook-try.repository';
import type {
  NewWebhookBody,
  WebhookAnswer,
  WebhookChangeBody,
  WebhookDeliveriesAnswer,
  WebhookDeliveryAnswer,
  WebhookTestAnswer,
  WebhookTriesAnswer,
  WebhookWithSecretAnswer,
} from './webhooks.dto';
import {
  EventNotFound,
  SecretNotShownAgain,
  TooManyWebhooks,
  TypesNotSeen,
  WebhookDisabled,
  WebhookNotFound,
  WebhooksNotFree,
} from './webhooks.errors';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';
import { IdempotencyMismatch } from '#platform/http/routes/routes.errors';

const ENDPOINTS = tableOf(WebhookEndpoint);

/** The operations of owners on their endpoints. */
@Injectable()
export class WebhooksService implements OnModuleInit {
  constructor(
    private readonly owners: Owners,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly secrets: WebhookSecrets,
    private readonly sender: WebhookSender,
    private readonly tried: WebhookTryRepository,
    private readonly hosts: WebhookHostQueue,
    private readonly calls: SsrfGuard,
    private readonly events: Events,
    private readonly presenters: EventPresenters,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  onModuleInit(): void {
    this.presenters.add(['webhook.disabled'], (row) => answerOf(ENDPOINTS.read(row)));
  }

  async create(
    owner: ProvenOwner,
    body: NewWebhookBody,
    call?: IdempotentCall,
  ): Promise<WebhookWithSecretAnswer> {
    const { url, host } = webhookTargetOf(this.calls, body.url, 'url');
    const marked = call && ownMark(owner, call);
    const before = marked && (await this.madeBy(owner.id, marked));
    if (before !== undefined) return before;
    if (!(await this.owners.hasPaid(owner)))
      throw new WebhooksNotFree(accountLinks(this.settings.http.publicUrl).topUp);
    const id = newId('whe');
    const secret = this.secrets.make(id);
    const types = typesIn(body, owner.view);
    const made = await this.endpoints.create({
      ...owner.view,
      id,
      maker: makerOf(owner),
      url,
      host,
      types,
      secret,
      call: marked,
    });
    if (made !== undefined) return { ...answerOf(made), secret: secret.text };
    const existing = marked && (await this.madeBy(owner.id, marked));
    if (existing === undefined) throw new TooManyWebhooks(owner.view.onlyKey !== undefined);
    return existing;
  }

  async list(owner: ProvenOwner): Promise<readonly WebhookAnswer[]> {
    return (await this.endpoints.ofOwner(owner.view)).map(answerOf);
  }

  async show(owner: ProvenOwner, id: string): Promise<WebhookAnswer> {
    return answerOf(await this.find(owner.view, id));
  }

  async change(owner: ProvenOwner, id: string, change: WebhookChangeBody): Promise<WebhookAnswer> {
    const before = await this.find(owner.view, id);
    const moved = change.url === undefined ? {} : webhookTargetOf(this.calls, change.url, 'url');
    // A new address makes the caller the maker of the endpoint. Types of the endpoint may be named again.
    const view = change.url === undefined ? await this.endpoints.viewOf(before) : owner.view;
    const types = typesIn(change, view, before.types ?? EVENT_TYPES);
    const wanted = { ...moved, types, enabled: change.enabled };
    const changed = await this.endpoints.change(owner.view, id, wanted, makerOf(owner));
    if (changed === undefined) throw new WebhookNotFound();
    return answerOf(changed);
  }

  async delete(owner: ProvenOwner, id: string): Promise<void> {
    await this.find(owner.view, id);
    if (!(await this.endpoints.remove(owner.view, id))) throw new WebhookNotFound();
  }

  /**
   * A repeated rotation returns the first one, because a second rotation would retire the secret that the receiver
   * still has.
   */
  async rotate(
    owner: ProvenOwner,
    id: string,
    overlapSeconds: number,
    call?: IdempotentCall,
  ): Promise<WebhookWithSecretAnswer> {
    const endpoint = await this.find(owner.view, id);
    const before = call && (await this.endpoints.rotatedBy(id, call.mark));
    if (before !== undefined) {
      requireSame(before.madeBy, call);
      if (before.signsUntil !== undefined) throw new SecretNotShownAgain();
      return { ...answerOf(endpoint), secret: this.secrets.textOf(id, before.sealed) };
    }
    const secret = this.secrets.make(id);
    if (!(await this.endpoints.rotate(owner.view, id, secret, overlapSeconds, call)))
      throw new WebhookNotFound();
    return { ...answerOf(endpoint), secret: secret.text };
  }

  /** Sends one message at once, without an event and without retries. It can also test a disabled endpoint. */
  async test(owner: ProvenOwner, id: string): Promise<WebhookTestAnswer> {
    const { url } = await this.find(owner.view, id);
    const eventId = newId('evt');
    const createdAt = this.clock.now().toISOString();
    const secrets = (await this.endpoints.secretsOf(id)).map((sealed) => this.secrets.bytesOf(id, sealed));
    const type = 'webhook.test';
    const { attempt, exchange } = await this.sender.send({
      id: eventId,
      url,
      body: withRecipient(
        JSON.stringify({ id: eventId, type, createdAt, data: { webhookId: id } }),
        owner.id,
        id,
      ),
      secrets,
    });
    const { outcome, status, error } = attempt;
    await this.tried.add({ target: id, eventId, type, status, error }, exchange);
    return { delivered: outcome === 'delivered', eventId, status, error };
  }

  async listDeliveries(
    owner: ProvenOwner,
    id: string,
    page: { readonly limit: number; readonly state?: DeliveryState; readonly cursor?: string },
  ): Promise<WebhookDeliveriesAnswer> {
    await this.find(owner.view, id);
    const { limit, state, cursor } = page;
    const found = await this.deliveries.page(id, { limit: limit + 1, state, before: cursor });
    const shown = found.slice(0, limit);
    return {
      deliveries: shown.map(deliveryAnswerOf),
      nextCursor: found.length > limit ? shown.at(-1)?.eventId : undefined,
    };
  }

  /** The newest tries with their data, including tests. */
  async listTries(view: View, id: string, eventId: string | undefined): Promise<WebhookTriesAnswer> {
    await this.find(view, id);
    const found = await this.tried.newest(id, eventId);
    return {
      tries: found.map(({ at, sent, received, body, target: _, ...rest }) => ({
        ...rest,
        at: at.toISOString(),
        requestHeaders: sent,
        responseHeaders: received,
        responseBody: body,
      })),
    };
  }

  replay(owner: ProvenOwner, id: string, eventId: string): Promise<WebhookDeliveryAnswer> {
    return this.replayOf(owner.view, id, eventId);
  }

  /** Any event that the endpoint may receive, of any type, sent before or not. */
  private async replayOf(whose: View, id: string, eventId: string): Promise<WebhookDeliveryAnswer> {
    const { owner } = whose;
    const endpoint = await this.find(whose, id);
    const [event] = await this.events.some([eventId]);
    const view = await this.endpoints.viewOf(endpoint);
    const isOfOwner = event?.owner === owner && EVENT_TYPES.some((type) => type === event.type);
    if (!isOfOwner || (await this.events.seenBy(view, [event])).length === 0) throw new EventNotFound();
    if (!endpoint.enabled) throw new WebhookDisabled();
    await this.deliveries.again({ target: id, eventId, type: event.type, owner, host: endpoint.host });
    await this.hosts.add([endpoint.host]);
    const delivery = await this.deliveries.find(id, eventId);
    if (delivery === undefined) throw new WebhookNotFound(); // It was deleted meanwhile.
    return deliveryAnswerOf(delivery);
  }

  /** Sends an event again for an operator, who need not know the owner. */
  async replayFor(id: string, eventId: string): Promise<WebhookDeliveryAnswer> {
    const owner = await this.endpoints.ownerOf(id);
    if (owner === undefined) throw new WebhookNotFound();
    return this.replayOf({ owner }, id, eventId);
  }

  private async find(whose: View, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.endpoints.find(whose, id);
    if (endpoint === undefined) throw new WebhookNotFound();
    return endpoint;
  }

  private async madeBy(owner: string, call: IdempotentCall): Promise<WebhookWithSecretAnswer | undefined> {
    const before = await this.endpoints.marked(owner, call.mark);
    if (before === undefined) return undefined;
    requireSame(before.madeBy, call);
    const [newest] = await this.endpoints.secretsOf(before.id);
    return newest && { ...answerOf(before), secret: this.secrets.textOf(before.id, newest) };
  }
}

const typesIn = (
  { types }: { readonly types?: readonly string[] },
  view: View,
  before: readonly EventType[] = [],
): readonly EventType[] | undefined => {
  const unseen = unseenTypes(view).filter((type) => types?.includes(type) === true && !before.includes(type));
  if (unseen.length > 0) throw new TypesNotSeen(unseen);
  return types as readonly EventType[] | undefined;
};

const makerOf = ({ id, payer: { key, acting } }: ProvenOwner): EndpointMaker => ({
  keyId: key?.id,
  memberId: acting === undefined || acting.person.id === id ? undefined : acting.person.id,
});

/**
 * Delegated keys and members can't find each other's endpoints by an idempotency key, because the answer has secrets.
 */
const ownMark = (owner: ProvenOwner, call: IdempotentCall): IdempotentCall => {
  const maker = owner.view.onlyKey ?? makerOf(owner).memberId;
  return maker === undefined ? call : { ...call, mark: `${maker} ${call.mark}` };
};

const requireSame = (madeBy: Buffer | undefined, call: IdempotentCall | undefined): void => {
  if (call !== undefined && madeBy?.equals(call.fingerprint) !== true) throw new IdempotencyMismatch();
};

const answerOf = (endpoint: WebhookEndpoint): WebhookAnswer => ({
  id: endpoint.id,
  url: endpoint.url,
  types: endpoint.types ?? EVENT_TYPES,
  enabled: endpoint.enabled,
  disabledReason: endpoint.disabledReason,
  failingSince: endpoint.failingSince?.toISOString(),
  createdAt: endpoint.createdAt.toISOString(),
  keyId: endpoint.keyId,
  madeBy: endpoint.memberId,
});

const deliveryAnswerOf = (delivery: WebhookDelivery): WebhookDeliveryAnswer => ({
  eventId: delivery.eventId,
  type: delivery.type,
  state: delivery.state,
  tries: delivery.tries,
  lastStatus: delivery.lastStatus,
  lastError: delivery.lastError,
  createdAt: delivery.createdAt.toISOString(),
  lastTriedAt: delivery.lastTriedAt?.toISOString(),
  nextTryAt: delivery.state === 'pending' ? delivery.dueAt.toISOString() : undefined,
});
