import type { Settings } from '../config/settings';

/** The database that was opened for this process: main asks `openDatabase` and puts the answer into the settings. */
export const databaseUrlOf = ({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string => {
  if (databaseUrl === undefined) {
    throw new Error('The database must be opened first, and its address be put into the settings.');
  }
  return databaseUrl;
};
