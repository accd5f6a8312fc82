import { parseArgs } from 'node:util';

import { CannotRecover } from './x402-recovery';

const USAGE = 'Say since when: npm run recover -- --since 2026-11-22T20:19:16Z [--credit]';
/** As ISO 8601 has it, or as Postgres takes it for `recovery_target_time`; a time without its zone is several. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|[+-]\d\d)(?::?(\d\d))?$/i;

export interface RecoveryOrder {
  readonly since: Date;
  /** Whether what is found is credited, or only listed. */
  readonly credit: boolean;
}

/** What an operator asked for on the command line. */
export const orderOf = (args: readonly string[], now: Date): RecoveryOrder => {
  const { since: text, credit = false } = optionsOf(args);
  const since = timeOf(text);
  if (Number.isNaN(since.getTime())) {
    throw new CannotRecover(`${text} is no time with a zone, such as 2026-11-22T20:19:16Z.`);
  }
  if (since > now) throw new CannotRecover(`${text} is in the future.`);
  return { since, credit };
};

const timeOf = (text: string): Date => {
  const [whole, day, time, zone = '', minutes = '00'] = TIME.exec(text) ?? [];
  const offset = /z/i.test(zone) ? 'Z' : `${zone}:${minutes}`;
  return new Date(whole === undefined ? Number.NaN : `${day}T${time}${offset}`);
};

const optionsOf = (args: readonly string[]): { since: string; credit?: boolean } => {
  try {
    const options = { since: { type: 'string' }, credit: { type: 'boolean' } } as const;
    const { since, credit } = parseArgs({ args: [...args], options }).values;
    if (since !== undefined) return { since, credit };
  } catch {
    // Words that are none of ours: the usage says which are.
  }
  throw new CannotRecover(USAGE);
};
