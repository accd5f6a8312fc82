import { micro } from '#kernel/money';

/** The defaults of owners without settings. Alerts about daily spending are off by default. */
export const ALERT_DEFAULTS = { balanceLow: micro(1_000_000n), keyPercent: [80, 100] } as const;

/** The alert ends when the balance is a tenth above the limit. */
export const FINE = { times: 11, of: 10 } as const;
/**
 * The alert of a key ends when its spending has fallen this many percent of the limit below the level of the warning.
 */
export const PERCENT_BELOW = 5;
/**
 * The warning comes this many days before a key expires. A key with a shorter life gets no warning, because its maker
 * wants a short life.
 */
export const KEY_DAYS_LEFT = 7;
