import type { Database, Queries } from './database';

/**
 * Runs work under a lock of one owner, over all processes. Use it for statements that count an owner's objects and add
 * another. Without the lock, two concurrent calls would both find the last free slot. `what` separates locks for
 * different objects.
 */
export const withOwnerLock = <T>(
  db: Database,
  what: string,
  owner: string,
  work: (queries: Queries) => Promise<T>,
): Promise<T> =>
  db.transaction(async (queries) => {
    await takeOwnerLock(queries, what, owner);
    return work(queries);
  });

/** Takes the lock until the transaction ends. The next statement sees everything that was committed before. */
export const takeOwnerLock = async (queries: Queries, what: string, owner: string): Promise<void> => {
  await queries.rows(
    'select pg_advisory_xact_lock(hashtext($1), hashtext($2))',
    [`lamppost ${what}`, owner],
    'owner-lock',
  );
};
