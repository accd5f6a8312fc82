/**
 * A payer with this many failed settlements within a day may not settle at the expense of our gas. The trigger on
 * `x402_payer` refuses new calls by the same number.
 */
const WASTED_MAX = 3;

/** Counts a failed settlement. The count starts again if the last failure is over a day old. */
export const WASTED = `
  update x402_payer set wasted_at = now(),
    wasted = case when wasted_at > now() - interval '1 day' then wasted + 1 else 1 end
  where payer = $1`;

export const IS_WASTEFUL = `
  select from x402_payer where payer = $1 and wasted >= ${WASTED_MAX} and wasted_at > now() - interval '1 day'`;
