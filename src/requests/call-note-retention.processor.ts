import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { CallNoteRepository } from './call-note.repository';

const BATCH = 5_000;

/** Deletes notes of calls, and counts of refusals, after 30 days. */
@Injectable()
export class CallNoteRetentionProcessor extends ScheduledProcessor {
  readonly name = 'call-note-retention';
  readonly everyMs = 60_000;

  constructor(private readonly notes: CallNoteRepository) {
    super();
  }

  run(): Promise<void> {
    return this.notes.dropOld(BATCH);
  }
}
