import type { Settings } from '../config/settings';

/** The opened database of this process. `main` calls `openDatabase` and puts the result into the settings. */
export const databaseUrlOf = ({ databaseUrl }: Pick<Settings, 'databaseUrl'>): string => {
  if (databaseUrl === undefined) {
    throw new Error('The database must be opened first, and its address be put into the settings.');
  }
  return databaseUrl;
};

type Addresses = Pick<Settings, 'databaseUrl'> & Partial<Pick<Settings, 'databaseDirectUrl'>>;

/**
 * For features that outlast a transaction: notifications, queues, migrations. A pooler would give the session to
 * others.
 */
export const directUrlOf = (settings: Addresses): string =>
  settings.databaseDirectUrl ?? databaseUrlOf(settings);

/** Whether each transaction may get another session of the server, without the state of the previous one. */
export const isPooled = ({ databaseDirectUrl }: Addresses): boolean => databaseDirectUrl !== undefined;

/** Host, port and name: enough to find a mistake, and no secret. */
export const hostAndPathOf = (url: string): string => {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}:${port || '5432'}${pathname}`;
  } catch {
    return 'DATABASE_URL';
  }
};
