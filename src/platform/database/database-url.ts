import type { Settings } from '../config/settings';

/** The database that was opened for this process: main asks `openDatabase` and puts the answer into the settings. */
export const databaseUrlOf = ({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string => {
  if (databaseUrl === undefined) {
    throw new Error('The database must be opened first, and its address be put into the settings.');
  }
  return databaseUrl;
};

type Addresses = Pick<Settings, 'databaseUrl'> & Partial<Pick<Settings, 'databaseDirectUrl'>>;

/** For what lasts longer than a transaction: notices, queues, migrations. A pooler would give the session to others. */
export const directUrlOf = (settings: Addresses): string =>
  settings.databaseDirectUrl ?? databaseUrlOf(settings);

/** Whether each transaction may meet another session of the server, which knows nothing of the one before. */
export const isPooled = ({ databaseDirectUrl }: Addresses): boolean => databaseDirectUrl !== undefined;

/** Host, port and name: enough to find the mistake, and nothing secret. */
export const hostAndPathOf = (url: string): string => {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}:${port || '5432'}${pathname}`;
  } catch {
    return 'DATABASE_URL';
  }
};
