import { InvalidRequest } from '#kernel/app-error';
import { type Micro, micro, parseUsd } from '#kernel/money';

/** The lowest and the highest amount of a top-up by card. */
export const CARD_USD = { min: 1, max: 500 } as const;

const CENT = 10_000n;
const MICRO = 1_000_000n;
const LEAST = micro(BigInt(CARD_USD.min) * MICRO);
const MOST = micro(BigInt(CARD_USD.max) * MICRO);

/** The amount of a body. Throws if it is outside the limits, or has a part of a cent. */
export const cardAmount = (usd: number, param = 'usd'): Micro => {
  // Through the decimal text, because 1.15 * 1000000 is not 1150000.
  const amount = parseUsd(String(usd));
  if (amount === undefined || amount % CENT !== 0n || amount < LEAST || amount > MOST)
    throw new InvalidRequest(`${param} must be from ${CARD_USD.min} to ${CARD_USD.max}, in whole cents.`, {
      param,
    });
  return amount;
};
