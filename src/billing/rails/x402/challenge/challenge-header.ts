import type { PaymentRequirements } from '@x402/core/types';

import { type Requirement, encodeBefore } from './requirements';

export type Offer = Requirement | PaymentRequirements;

/**
 * The bytes of all headers of a 402. By default, nginx and the proxies that are built on it read 4 KB of headers. They
 * answer 502 to more. The rest of the 4 KB is for headers of proxies and of a team's own code.
 */
const HEADERS_MAX = 3_584;
/** The headers of every answer, without those of the payment. */
const COMMON_BYTES = 760;
const NAME_BYTES = 'payment-required: \r\n'.length;

/** The part of a challenge that a header always has. */
export interface ChallengeHead {
  readonly x402Version: number;
  readonly error: string;
  readonly resource: object;
}

const bytesOf = (headers: Readonly<Record<string, string>>): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);

/** The first offers that fit. The body of the 402 has the others. */
const thatFit = (offers: readonly Offer[], bytes: number): readonly Offer[] => {
  let left = bytes;
  const count = offers.findIndex((offer) => (left -= JSON.stringify(offer).length + 1) < 0);
  return count === -1 ? offers : offers.slice(0, Math.max(1, count));
};

/**
 * The requirements as a header that fits beside `others`. `ends` are its encoded extensions, the longest first; the
 * first one that fits is used, and the last one is always short enough. The header is not whole if offers are left out.
 */
export const challengeHeader = (
  head: ChallengeHead,
  offers: readonly Offer[],
  ends: readonly string[],
  others: Readonly<Record<string, string>>,
): { readonly header: string; readonly isWhole: boolean } => {
  const encodedMax = HEADERS_MAX - COMMON_BYTES - NAME_BYTES - bytesOf(others);
  const last = ends.at(-1) ?? '';
  const rest =
    Math.floor(((encodedMax - last.length) * 3) / 4) - JSON.stringify(head).length - '"accepts":[],'.length;
  const accepts = offers.length > 1 ? thatFit(offers, rest) : offers;
  const text = { ...head, accepts };
  const room = encodedMax - Math.ceil((JSON.stringify(text).length + 3) / 3) * 4;
  const header = encodeBefore(text, ends.find((end) => end.length <= room) ?? last);
  return { header, isWhole: accepts.length === offers.length };
};
