import type { Database, Queries } from './database';

/**
 * Work of which an owner has one at a time, over all processes: what counts what an owner has and adds to it. Without it two
 * that come at once both see the last free place. `what` keeps turns for different things apart.
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

/** The same within a transaction, which keeps the turn until it ends. The next statement sees what was there before. */
export const takeOwnerLock = async (queries: Queries, what: string, owner: string): Promise<void> => {
  await queries.rows(
    'select pg_advisory_xact_lock(hashtext($1), hashtext($2))',
    [`lamppost ${what}`, owner],
    'owner-lock',
  );
};
