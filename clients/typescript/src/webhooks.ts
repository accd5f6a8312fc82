import type { Delivery, Schemas, Webhook } from './answers.ts';
import type { Api } from './api.ts';
import { NotGenuine } from './errors.ts';
import type { WebhookEvent } from './events.ts';
import type { CallOptions } from './options.ts';
import { type WebhookMessage, type WebhookProof, isGenuineWebhook } from './proof.ts';

const PATH = '/v1/agent/webhooks';

const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** Endpoints that receive signed events: see `isGenuineWebhook`. */
export class Webhooks {
  /** @internal */
  constructor(private readonly api: Api) {}

  /**
   * Verifies a message and returns its event. Throws `NotGenuine` if the service has not sent the message to you.
   *
   * @example
   * // `message` is the headers and the body as text: { headers: request.headers, body: await request.text() }.
   * const event = await lamppost.webhooks.unwrap(message, { secret });
   * if (event.type === 'job.done') console.log(event.data.url);
   */
  readonly unwrap = async (message: WebhookMessage, proof: WebhookProof): Promise<WebhookEvent> => {
    if (!(await isGenuineWebhook(message, proof))) throw new NotGenuine();
    return JSON.parse(message.body) as WebhookEvent;
  };

  /**
   * The registered endpoints.
   *
   * @example
   * for (const { url, enabled } of await lamppost.webhooks.list()) console.log(url, enabled);
   */
  readonly list = async (options: CallOptions = {}): Promise<readonly Webhook[]> =>
    (await this.api.get<Schemas['WebhooksAnswer']>(PATH, options)).webhooks;

  /**
   * Creates an endpoint. Only this answer contains its `secret`.
   *
   * @example
   * const { id, secret } = await lamppost.webhooks.create({ url: 'https://agent.example/hook', types: ['job.done'] });
   */
  readonly create = (
    body: Schemas['NewWebhookBody'],
    options: CallOptions = {},
  ): Promise<Schemas['WebhookWithSecretAnswer']> => this.api.change('POST', PATH, body, options);

  /**
   * Changes an endpoint's address or types, or disables it.
   *
   * @example
   * await lamppost.webhooks.update(webhookId, { types: ['job.done', 'job.failed'], enabled: true });
   */
  readonly update = (
    id: string,
    body: Schemas['WebhookChangeBody'],
    options: CallOptions = {},
  ): Promise<Webhook> => this.api.change('PATCH', pathOf(id), body, options);

  /**
   * Deletes an endpoint.
   *
   * @example
   * const { id } = await lamppost.webhooks.create({ url: 'https://agent.example/hook' });
   * await lamppost.webhooks.delete(id);
   */
  readonly delete = async (id: string, options: CallOptions = {}): Promise<void> => {
    await this.api.change('DELETE', pathOf(id), undefined, options);
  };

  /**
   * Makes a new secret. For `overlapSeconds`, messages are signed with the old secret as well.
   *
   * @example
   * const { secret } = await lamppost.webhooks.rotate(webhookId, { overlapSeconds: 86_400 });
   */
  readonly rotate = (
    id: string,
    body: Schemas['RotateWebhookBody'],
    options: CallOptions = {},
  ): Promise<Schemas['WebhookWithSecretAnswer']> =>
    this.api.change('POST', `${pathOf(id)}/rotate`, body, options);

  /**
   * Sends a test message, and returns the receiver's answer.
   *
   * @example
   * const { delivered, status } = await lamppost.webhooks.test(webhookId);
   */
  readonly test = (id: string, options: CallOptions = {}): Promise<Schemas['WebhookTestAnswer']> =>
    this.api.change('POST', `${pathOf(id)}/test`, undefined, options);

  /**
   * The recent deliveries, and their answers.
   *
   * @example
   * for (const { type, state, tries } of await lamppost.webhooks.deliveries(webhookId)) console.log(type, state, tries);
   */
  readonly deliveries = async (id: string, options: CallOptions = {}): Promise<readonly Delivery[]> =>
    (await this.api.get<Schemas['WebhookDeliveriesAnswer']>(`${pathOf(id)}/deliveries`, options)).deliveries;

  /**
   * Sends an event again, at once.
   *
   * @example
   * for (const { eventId, state } of await lamppost.webhooks.deliveries(webhookId)) {
   *   if (state !== 'pending') await lamppost.webhooks.replay(webhookId, eventId);
   * }
   */
  readonly replay = (id: string, eventId: string, options: CallOptions = {}): Promise<Delivery> =>
    this.api.change(
      'POST',
      `${pathOf(id)}/deliveries/${encodeURIComponent(eventId)}/replay`,
      undefined,
      options,
    );
}
