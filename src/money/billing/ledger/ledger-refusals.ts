import { constraintOf, sqlStateOf } from '#platform/database/error-fields';
import { SqlState } from '#platform/database/sql-state';
import type { HoldRefusal } from '../charges/charge';

/** The SQLSTATEs that our triggers raise while a statement moves money. */
const REFUSED: Readonly<Record<string, HoldRefusal>> = {
  /** The call would exceed a key's spend limit. */
  LP001: 'key-limit',
  /** The call would exceed a member's budget. */
  LP012: 'budget',
  /** The payer ended while the call waited for the account's row. */
  LP002: 'ended',
  /** A newer retry arrived while the call waited. */
  LP009: 'overtaken',
  /** The call before a retry has its charge. */
  LP010: 'duplicate',
};

/** Constraints that an excessive debit violates. Postgres then writes nothing. */
const SHORT = ['ledger_account_never_negative', 'ledger_account_reserve', 'key_reserve_left'];

/** Why Postgres refused to move the money; undefined if the error is none of these refusals. */
export const refusalOf = (error: unknown): HoldRefusal | undefined => {
  const state = sqlStateOf(error) ?? '';
  const constraint = constraintOf(error) ?? '';
  if (state === SqlState.checkViolation && SHORT.includes(constraint)) return 'short';
  if (state === SqlState.uniqueViolation && constraint === 'charge_mark') return 'duplicate';
  return REFUSED[state];
};
