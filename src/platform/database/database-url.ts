import type { DatabaseSettings } from './database.settings';

/** The opened database of this process. `main` calls `openDatabase` and puts the result into the settings. */
export const databaseUrlOf = ({ databaseUrl }: Pick<DatabaseSettings, 'databaseUrl'>): string => {
  if (databaseUrl === undefined)
    throw new Error('The database must be opened first, and its address be put into the settings.');
  return databaseUrl;
};

type Addresses = Pick<DatabaseSettings, 'databaseUrl'> & Partial<Pick<DatabaseSettings, 'databaseDirectUrl'>>;

/**
 * The address for features that outlast a transaction: notifications, queues, migrations. A pooler would let others use
 * their session between two transactions.
 */
export const directUrlOf = (settings: Addresses): string =>
  settings.databaseDirectUrl ?? databaseUrlOf(settings);

/** Whether each transaction may run in another session of the server, without the state of the previous session. */
export const isPooled = ({ databaseDirectUrl }: Addresses): boolean => databaseDirectUrl !== undefined;

/** Host, port and name of the database. An operator can find a mistake by them, and they contain no secret. */
export const hostAndPathOf = (url: string): string => {
  try {
    const { username, hostname, port, pathname, searchParams } = new URL(url);
    // A password with an unescaped slash parses as a path.
    if (username === '' && url.includes('@')) return 'DATABASE_URL';
    // The driver prefers the parameters.
    const host = searchParams.get('host') ?? decodeURIComponent(hostname);
    return `${host}:${searchParams.get('port') ?? (port || '5432')}${pathname}`;
  } catch {
    return 'DATABASE_URL';
  }
};
