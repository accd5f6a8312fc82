import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { EventRepository } from './event.repository';
import { EventSequencer } from './event-sequencer';

const BATCH = 2_000;

/** Finds events that a dead process did not announce, and deletes old ones. */
@Injectable()
export class EventsProcessor extends ScheduledProcessor {
  readonly name = 'events';
  readonly everyMs = 30_000;

  constructor(
    private readonly sequencer: EventSequencer,
    private readonly events: EventRepository,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.sequencer.lookAnyway();
    while ((await this.events.prune(BATCH)) === BATCH);
  }
}
