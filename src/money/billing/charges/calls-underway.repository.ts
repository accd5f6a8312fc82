import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { LEASE_UNTIL } from './lease';
import { deletedRows } from '#platform/queue/sweep-rows.repository';

/** Entries of calls whose process died. */
export const DEAD_CALLS = deletedRows({
  step: 'dead-calls',
  table: 'call_underway',
  key: 'id',
  due: `until < now() - interval '1 hour'`,
});

/** Stores calls that prepare and have no charge yet. */
@Injectable()
export class CallsUnderwayRepository {
  constructor(private readonly db: Database) {}

  async enter(id: string, caller: string, fingerprint: Buffer): Promise<void> {
    await this.db.rows(
      `insert into call_underway (id, caller, fingerprint, until) values ($1, $2, $3, ${LEASE_UNTIL})`,
      [id, caller, fingerprint],
      'underway-enter',
    );
  }

  /** Enters a retry of a call without an entry. The retry has no lease, so `until` is the time of its arrival. */
  async enterRetry(id: string, caller: string, fingerprint: Buffer): Promise<void> {
    await this.db.rows(
      'insert into call_underway (id, caller, fingerprint, until) values ($1, $2, $3, clock_timestamp())',
      [id, caller, fingerprint],
      'underway-enter-retry',
    );
  }

  /**
   * Enters a repetition. Returns the equal earlier calls that still prepare; the repetition must wait for them. A lock
   * serialises repetitions, so two of them always see each other.
   */
  enterAfter(
    id: string,
    caller: string,
    fingerprint: Buffer,
  ): Promise<{ readonly before: readonly string[]; readonly since: Date }> {
    return this.db.transaction(async (queries) => {
      await queries.rows(
        `select pg_advisory_xact_lock(hashtextextended('lamppost call underway ' || $1 || encode($2::bytea, 'hex'), 0))`,
        [caller, fingerprint],
        'underway-lock',
      );
      // Deletes the entries of calls whose lease has expired. If such a call's process was only suspended, the call can
      // no longer hold a price.
      const before = await queries.rows<{ id: string }>(
        `with dead as (delete from call_underway where caller = $1 and fingerprint = $2 and until <= now())
         select id from call_underway where caller = $1 and fingerprint = $2 and until > now() and id <> $3`,
        [caller, fingerprint, id],
        'underway-before',
      );
      const [entered] = await queries.rows<{ since: Date }>(
        `insert into call_underway (id, caller, fingerprint, until) values ($1, $2, $3, ${LEASE_UNTIL})
         on conflict (id) do update set until = excluded.until returning now() as since`,
        [id, caller, fingerprint],
        'underway-enter-after',
      );
      return { before: before.map((row) => row.id), since: entered?.since ?? new Date(0) };
    });
  }

  /**
   * Returns the given calls that still prepare, and renews the lease of the waiting call. Deletes calls whose lease has
   * expired, so that they can no longer hold a price.
   */
  async alive(ids: readonly string[], waiter: string): Promise<readonly string[]> {
    const rows = await this.db.rows<{ id: string }>(
      `with dead as (delete from call_underway where id = any($1) and until <= now()),
            own as (update call_underway set until = ${LEASE_UNTIL} where id = $2)
       select id from call_underway where id = any($1) and until > now()`,
      [ids, waiter],
      'underway-alive',
    );
    return rows.map((row) => row.id);
  }

  /** Renews the lease of a call before its hold. False if a repetition has replaced the call. */
  async renew(id: string): Promise<boolean> {
    const rows = await this.db.rows(
      `update call_underway set until = ${LEASE_UNTIL} where id = $1 returning id`,
      [id],
      'underway-renew',
    );
    return rows.length > 0;
  }

  async leave(id: string): Promise<void> {
    await this.db.rows('delete from call_underway where id = $1', [id], 'underway-leave');
  }
}
