import { Injectable } from '@nestjs/common';

import { Events } from '../events/log/events';
import type { TakenDelivery } from './webhook-delivery.repository';
import { WebhookSecrets } from './webhook-secrets';

/** What is sent of an event: as it is shown everywhere else, with addresses that are fresh. */
@Injectable()
export class WebhookMessages {
  constructor(
    private readonly events: Events,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** One for each delivery; undefined where its event is no longer kept. */
  async bodiesOf(taken: readonly TakenDelivery[]): Promise<readonly (string | undefined)[]> {
    if (taken.length === 0) return [];
    const found = await this.events.some(taken.map(({ eventId }) => eventId));
    const bodies = new Map(found.map((event) => [event.id, JSON.stringify(this.events.present(event))]));
    return taken.map(({ eventId }) => bodies.get(eventId));
  }

  secretsOf({ target, sealed }: TakenDelivery): readonly Buffer[] {
    return sealed.map((one) => this.secrets.bytesOf(target, one));
  }
}
