import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { OLD_EVENTS, OLD_WATERMARKS } from './event.repository';
import { EventSequencer } from './event-sequencer';
import { SweepRows } from '../platform/queue/sweep-rows.repository';

/** Finds events that a dead process did not announce, and deletes old ones. */
@Injectable()
export class EventsProcessor extends ScheduledProcessor {
  readonly name = 'events';
  readonly everyMs = 30_000;

  constructor(
    private readonly sequencer: EventSequencer,
    private readonly rows: SweepRows,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.each(
      () => this.sequencer.lookAnyway(),
      () => this.rows.run(OLD_EVENTS),
      () => this.rows.run(OLD_WATERMARKS),
    );
  }
}
