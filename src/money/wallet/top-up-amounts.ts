import { InvalidRequest } from '#kernel/app-error';
import { type Micro, larger, micro, parseUsd, smaller } from '#kernel/money';

/** The lowest and the highest amount of a top-up. The service clamps other amounts to them. */
export const TOP_UP_AMOUNTS = {
  min: micro(1_000_000n),
  max: micro(500_000_000n),
  default: micro(10_000_000n),
} as const;

/** The `usd` of the query, clamped to the limits. Throws if the text is no amount. */
export const topUpAmount = (usd: unknown): Micro => {
  if (usd === undefined || usd === '') return TOP_UP_AMOUNTS.default;
  const sign = typeof usd === 'string' && usd.startsWith('-');
  // Nobody can pay digits after the sixth decimal, so they are cut off. The price is the remaining amount.
  const digits = typeof usd === 'string' ? /^-?(\d{1,9})(\.\d{1,30})?$/.exec(usd) : null;
  const amount = digits === null ? undefined : parseUsd(`${digits[1]}${(digits[2] ?? '').slice(0, 7)}`);
  if (amount === undefined)
    throw new InvalidRequest('usd must be an amount such as 25 or 25.50, from 1 to 500.', { param: 'usd' });
  return sign ? TOP_UP_AMOUNTS.min : smaller(TOP_UP_AMOUNTS.max, larger(TOP_UP_AMOUNTS.min, amount));
};
