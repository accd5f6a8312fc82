import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { OLD_EVENTS, OLD_WATERMARKS } from './event-retention';
import { EventSequencer } from './event-sequencer';
import { EventListenerRepository } from './listeners/event-listener.repository';
import { SweepRows } from '#platform/queue/sweep-rows.repository';

/** Finds events that a dead process did not announce, announces expired keys, and deletes old events. */
@Injectable()
export class EventsProcessor extends ScheduledProcessor {
  readonly name = 'events';
  readonly everyMs = 30_000;

  constructor(
    private readonly sequencer: EventSequencer,
    private readonly rows: SweepRows,
    private readonly listeners: EventListenerRepository,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.each(
      () => this.listeners.announceExpiredKeys(),
      () => this.sequencer.assignAnyway(),
      () => this.rows.run(OLD_EVENTS),
      () => this.rows.run(OLD_WATERMARKS),
    );
  }
}
