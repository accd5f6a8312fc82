import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { SweepRows, deletedRows } from '#platform/queue/sweep-rows.repository';
import { firstIdAt } from '#kernel/ids';

const DAY_MS = 86_400_000;
/** The days that notes, counts of refusals and sessions are kept. */
const NOTES_DAYS = 30;

/** Notes older than the first id of the kept days, which is `$2`. */
const OLD_NOTES = deletedRows({
  step: 'old-call-notes',
  table: 'call_note',
  key: 'id',
  due: 'id < $2',
  order: 'id',
});
const OLD_REFUSALS = deletedRows({
  step: 'old-refusal-counts',
  table: 'refusal_count',
  key: 'owner, hour, code',
  due: `hour < now() - interval '${NOTES_DAYS} days'`,
  order: 'hour',
});
const OLD_SESSIONS = deletedRows({
  step: 'old-call-sessions',
  table: 'call_session',
  key: 'charge_id',
  due: `created_at < now() - interval '${NOTES_DAYS} days'`,
  order: 'created_at',
});
const firstKeptNote = (): string => firstIdAt('cn', Date.now() - NOTES_DAYS * DAY_MS);

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
