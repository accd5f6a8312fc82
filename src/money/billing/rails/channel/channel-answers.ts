import { type Micro, micro } from '#kernel/money';
import type { ChannelState } from '../x402/facilitators/facilitator';
import type { Hex } from '../x402/proof/signed-payment';

/** Reads the values in a facilitator's answer. Another service wrote them, so each of them may be anything. */

/** Amounts stay below 2^53, as in payments. */
const MICRO_MAX = BigInt(Number.MAX_SAFE_INTEGER);
/** The end of the year 9999, in Unix seconds. */
const SECONDS_MAX = 253_402_300_799n;
/** Postgres stores the number of a refund in 64 bits. */
const NONCE_MAX = 2n ** 63n - 1n;

/** A whole number of at most this size; undefined if the value is anything else. */
const wholeIn = (value: unknown, most: bigint): bigint | undefined => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,19}$/.test(text)) return undefined;
  const whole = BigInt(text);
  return whole <= most ? whole : undefined;
};

export const amountIn = (value: unknown): Micro | undefined => {
  const amount = wholeIn(value, MICRO_MAX);
  return amount === undefined ? undefined : micro(amount);
};

export const isYes = (value: unknown): boolean => value === true;

export const hashIn = (value: unknown): Hex | undefined =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value) ? (value.toLowerCase() as Hex) : undefined;

/** The state of a channel. Undefined if some value makes no sense. */
export const stateIn = (extra: Readonly<Record<string, unknown>> | undefined): ChannelState | undefined => {
  const balance = amountIn(extra?.['balance']);
  const claimed = amountIn(extra?.['totalClaimed']);
  const withdrawRequestedAt = wholeIn(extra?.['withdrawRequestedAt'] ?? 0, SECONDS_MAX);
  const refundNonce = wholeIn(extra?.['refundNonce'] ?? 0, NONCE_MAX);
  if (balance === undefined || claimed === undefined || claimed > balance) return undefined;
  if (withdrawRequestedAt === undefined || refundNonce === undefined) return undefined;
  return { balance, claimed, withdrawRequestedAt: Number(withdrawRequestedAt), refundNonce };
};
