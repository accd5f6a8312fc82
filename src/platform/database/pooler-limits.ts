import { SESSION_LIMITS } from './statement-limits';
import type { Queries } from './database';

const NAMES = Object.keys(SESSION_LIMITS);

/**
 * The service can't set the limits of sessions behind a pooler, so their role must have them. Without limits, one
 * hanging statement locks a connection and rows for an unlimited time. Returns the remedy, or undefined if no limit is
 * missing.
 */
export const missingLimits = async (db: Queries): Promise<string | undefined> => {
  const rows = await db.rows<{ name: string }>(
    `select name from unnest($1::text[]) as name where current_setting(name) in ('0', '')`,
    [NAMES],
    'session-limits',
  );
  if (rows.length === 0) return undefined;
  const missing = rows.map(({ name }) => name).join(', ');
  return `Statements through DATABASE_URL run without ${missing}: give them to its role, as deploy/postgres/roles.sql does.`;
};
