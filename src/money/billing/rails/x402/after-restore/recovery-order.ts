import { parseArgs } from 'node:util';

import { CannotRecover } from './x402-recovery';

const COMMAND = 'npm run recover -- --since 2026-11-22T20:19:16Z [--only <transaction>]... [--credit]';

export const HELP = `${COMMAND}

Lists x402 payments since a moment that no charge accounts for, after a restore of the database to that moment.
  --since   the moment, with its zone
  --only    only this transaction; repeat the option for more
  --credit  credits each to the wallet that paid it, once, and records it in the operators' audit log as "recover";
            also rebuilds payment channels from the chain
`;

const TRANSACTION = /^0x[0-9a-f]{64}$/;
/** ISO 8601, or the form of Postgres' `recovery_target_time`; a time without a zone is ambiguous. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|[+-]\d\d)(?::?(\d\d))?$/i;

export interface RecoveryOrder {
  readonly since: Date;
  /** Whether found payments are credited, or only listed. */
  readonly credit: boolean;
  /** The transactions to credit; all if the operator names none. */
  readonly only: readonly string[];
}

/** The operator's order on the command line. */
export const orderOf = (args: readonly string[], now: Date): RecoveryOrder => {
  const { since: text, credit = false, only: named = [] } = optionsOf(args);
  const since = timeOf(text);
  if (Number.isNaN(since.getTime()))
    throw new CannotRecover(`${text} is no time with a zone, such as 2026-11-22T20:19:16Z.`);
  if (since > now) throw new CannotRecover(`${text} is in the future.`);
  const only = named.map((one) => one.toLowerCase());
  const odd = only.find((one) => !TRANSACTION.test(one));
  if (odd !== undefined) throw new CannotRecover(`${odd} is no transaction: 0x and 64 digits of hex.`);
  return { since, credit, only };
};

const timeOf = (text: string): Date => {
  const [whole, day, time, zone = '', minutes = '00'] = TIME.exec(text) ?? [];
  const offset = /z/i.test(zone) ? 'Z' : `${zone}:${minutes}`;
  return new Date(whole === undefined ? Number.NaN : `${day}T${time}${offset}`);
};

const optionsOf = (args: readonly string[]): { since: string; credit?: boolean; only?: string[] } => {
  try {
    const options = {
      since: { type: 'string' },
      credit: { type: 'boolean' },
      only: { type: 'string', multiple: true },
    } as const;
    const { since, ...more } = parseArgs({ args: [...args], options }).values;
    if (since !== undefined) return { since, ...more };
  } catch {
    // Unknown arguments: the usage lists the known ones.
  }
  throw new CannotRecover(`Say since when: ${COMMAND}`);
};
