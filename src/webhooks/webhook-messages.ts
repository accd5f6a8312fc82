import { Injectable, Logger } from '@nestjs/common';

import type { Event } from '../events/log/event.entity';
import { Events } from '../events/log/events';
import type { TakenDelivery } from './webhook-delivery.repository';
import { WebhookSecrets } from './webhook-secrets';

/** What is sent of an event: as it is shown everywhere else, with addresses that are fresh. */
@Injectable()
export class WebhookMessages {
  private readonly logger = new Logger(WebhookMessages.name);

  constructor(
    private readonly events: Events,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** One for each delivery; undefined where its event is no longer kept, or can't be shown. */
  async bodiesOf(taken: readonly TakenDelivery[]): Promise<readonly (string | undefined)[]> {
    if (taken.length === 0) return [];
    const found = await this.events.some(taken.map(({ eventId }) => eventId));
    const bodies = new Map(found.map((event) => [event.id, this.bodyOf(event)]));
    return taken.map(({ eventId }) => bodies.get(eventId));
  }

  /** One that can't be shown holds up no other: it fails, and can be replayed when it can. */
  private bodyOf(event: Event): string | undefined {
    try {
      return JSON.stringify(this.events.present(event));
    } catch (error) {
      this.logger.error({ err: error, eventId: event.id }, 'An event could not be put into words.');
      return undefined;
    }
  }

  secretsOf({ target, sealed }: TakenDelivery): readonly Buffer[] {
    return sealed.map((one) => this.secrets.bytesOf(target, one));
  }
}
