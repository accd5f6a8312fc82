import { setTimeout as pause } from 'node:timers/promises';

import { DatabaseStartError } from './database-start-error';
import { hostAndPathOf } from './database-url';
import { DatabaseUnavailable } from './database.errors';
import { codeOf } from './error-fields';
import { isConnectionLost } from './sql-state';
import type { DatabaseSettings } from './database.settings';

/** The longest time for which a start waits for a database that does not answer yet. */
const AWAY_MS_MAX = 10_000;
const AGAIN_EVERY_MS = 250;

/** Repeats a part of the start if its connection to the database is lost. Use it only for work that may run twice. */
export const retryAtStart = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let until: number | undefined; ; await pause(AGAIN_EVERY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      until ??= performance.now() + AWAY_MS_MAX;
      if (performance.now() > until) throw new DatabaseUnavailable(error);
    }
  }
};

/** The error that an operator reads when the start fails: one sentence if the database was lost. */
export const startErrorFor = (
  { databaseUrl }: Pick<DatabaseSettings, 'databaseUrl'>,
  error: unknown,
): unknown => {
  if (!(error instanceof DatabaseUnavailable)) return error;
  const why = codeOf(error.cause) || 'no answer in time';
  return new DatabaseStartError(
    databaseUrl === undefined
      ? `The embedded database was lost during the start (${why}); start again, and look at its log in DATA_DIR if that does not help.`
      : `The database at ${hostAndPathOf(databaseUrl)} was lost during the start (${why}); keep it and the network to it up, or correct DATABASE_URL.`,
  );
};
