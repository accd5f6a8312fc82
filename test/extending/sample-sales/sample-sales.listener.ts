import { Injectable } from '@nestjs/common';

import { OnEvent, type TeamEvent } from '#notices/outbox/listeners/on-event';

@Injectable()
export class SampleSalesListener {
  /** By the id of the event, because an event may come twice. */
  readonly book = new Map<string, TeamEvent>();

  @OnEvent({ name: 'sample-sales', types: ['charge.charged', 'charge.refunded', 'job.done', 'key.ended'] })
  note(event: TeamEvent): void {
    this.book.set(event.id, event);
  }
}
