import { Injectable, Logger } from '@nestjs/common';

import type { Event } from '#notices/outbox/event.entity';
import { Events } from '#notices/outbox/events';
import { CALL } from './webhook-delivery.entity';
import type { TakenDelivery } from './webhook-delivery.repository';
import { WebhookSecrets } from './webhook-secrets';

/**
 * The message names its recipient, so that it proves nothing to another receiver: the key of `v1a` is public.
 * `endpoint` is absent for the address of a call.
 */
export const withRecipient = (message: string, owner: string, endpoint?: string): string =>
  `${message.slice(0, -1)},"recipient":${JSON.stringify({ owner, endpoint })}}`;

/** The message of an event. It equals the event in all other answers, with fresh addresses. */
@Injectable()
export class WebhookMessages {
  private readonly logger = new Logger(WebhookMessages.name);

  constructor(
    private readonly events: Events,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** The messages of deliveries; undefined for an event that is no longer kept, or can't be shown. */
  async bodiesOf(taken: readonly TakenDelivery[]): Promise<readonly (string | undefined)[]> {
    if (taken.length === 0) return [];
    const found = await this.events.some(taken.map(({ eventId }) => eventId));
    const bodies = new Map(
      found.map((event) => [event.id, { owner: event.owner, text: this.bodyOf(event) }]),
    );
    return taken.map(({ eventId, target }) => {
      const { owner = '', text } = bodies.get(eventId) ?? {};
      return text && withRecipient(text, owner, target === CALL ? undefined : target);
    });
  }

  /** An event that can't be shown fails only its own delivery, which can be sent again later. */
  private bodyOf(event: Event): string | undefined {
    try {
      return JSON.stringify(this.events.present(event));
    } catch (error) {
      this.logger.error({ err: error, eventId: event.id }, 'An event could not be presented.');
      return undefined;
    }
  }

  secretsOf({ target, sealed }: TakenDelivery): readonly Buffer[] {
    return sealed.map((one) => this.secrets.bytesOf(target, one));
  }
}
