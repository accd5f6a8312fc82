import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { OLD_NOTES, OLD_REFUSALS, OLD_SESSIONS, firstKeptNote } from './call-note.repository';
import { SweepRows } from '#platform/queue/sweep-rows.repository';

/** Deletes notes and sessions of calls, and counts of refusals, after 30 days. */
@Injectable()
export class CallNoteRetentionProcessor extends ScheduledProcessor {
  readonly name = 'call-note-retention';
  readonly everyMs = 60_000;

  constructor(private readonly rows: SweepRows) {
    super();
  }

  run(): Promise<void> {
    return this.each(
      () => this.rows.run(OLD_NOTES, [firstKeptNote()]),
      () => this.rows.run(OLD_REFUSALS),
      () => this.rows.run(OLD_SESSIONS),
    );
  }
}
