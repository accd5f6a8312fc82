import { Injectable } from '@nestjs/common';

import { ItemColumns, byColumn } from '#platform/database/batch-rows';
import { Database } from '#platform/database/database';
import type { CallNote } from './call-note.entity';
import type { CallSession } from './call-session.entity';

/** A note with its age. The database computes the time from the age, because notes use the database's clock. */
export type NoteDraft = Omit<CallNote, 'createdAt'> & { readonly ageMs: number };

/** The number of refused calls of one owner with one code. */
export interface Refusals {
  readonly owner: string;
  readonly code: string;
  readonly calls: number;
}

export type SessionDraft = Omit<CallSession, 'createdAt'>;

const NOTES = new ItemColumns<NoteDraft>({
  id: ['text', ({ id }) => id],
  owner: ['text', ({ owner }) => owner],
  key_id: ['text', ({ keyId }) => keyId],
  person_id: ['text', ({ personId }) => personId],
  charge_id: ['text', ({ chargeId }) => chargeId],
  route: ['text', ({ route }) => route],
  operation: ['text', ({ operation }) => operation],
  model_id: ['text', ({ modelId }) => modelId],
  tag: ['text', ({ tag }) => tag],
  status: ['smallint', ({ status }) => status],
  code: ['text', ({ code }) => code],
  ms: ['integer', ({ ms }) => ms],
  attempts: ['text', ({ attempts }) => JSON.stringify(attempts)],
  age: ['integer', ({ ageMs }) => ageMs],
});

/** Writes and deletes notes of calls in batches. No call waits for these statements. */
@Injectable()
export class CallNoteRepository {
  constructor(private readonly db: Database) {}

  /** Writes all of them in one transaction. After a failure nothing is written, so the caller may try again. */
  async add(
    notes: readonly NoteDraft[],
    refusals: readonly Refusals[],
    sessions: readonly SessionDraft[],
  ): Promise<void> {
    await this.db.transaction(async (queries) => {
      if (notes.length > 0)
        await queries.rows(
          `insert into call_note (id, owner, key_id, person_id, charge_id, route, operation, model_id, tag, status, code,
             ms, attempts, created_at)
           select id, owner, key_id, person_id, charge_id, route, operation, model_id, tag, status, code, ms,
             attempts::jsonb, now() - age * interval '1 millisecond'
           from ${NOTES.table('n')}
           on conflict (id) do nothing`,
          NOTES.valuesOf(notes),
          'call-note-add',
        );
      if (refusals.length > 0)
        await queries.rows(
          `insert into refusal_count as c (owner, hour, code, calls)
           select owner, date_trunc('hour', now()), code, calls
           from unnest($1::text[], $2::text[], $3::bigint[]) as r (owner, code, calls)
           order by owner, code
           on conflict (owner, hour, code) do update set calls = c.calls + excluded.calls`,
          byColumn(refusals.map(({ owner, code, calls }) => [owner, code, calls])),
          'refusal-count-add',
        );
      if (sessions.length > 0)
        await queries.rows(
          `insert into call_session (charge_id, owner, session)
           select * from unnest($1::text[], $2::text[], $3::text[])
           on conflict (charge_id) do nothing`,
          byColumn(sessions.map(({ chargeId, owner, session }) => [chargeId, owner, session])),
          'call-session-add',
        );
    });
  }
}
