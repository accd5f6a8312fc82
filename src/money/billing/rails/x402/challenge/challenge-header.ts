import type { PaymentRequirements } from '@x402/core/types';

import type { Requirement, Resource } from './requirements';

export type Offer = Requirement | PaymentRequirements;

/**
 * The bytes of all headers of a 402. By default, nginx and the proxies that are built on it read 4 KB of headers. They
 * answer 502 to more. The rest of the 4 KB is for headers of proxies and of a team's own code.
 */
const HEADERS_MAX = 3_584;
/** The headers of every answer, without those of the payment. */
const COMMON_BYTES = 760;
/** The end of the list of offers, a comma, and up to two spaces. */
const END_BYTES = 4;
const NAME_BYTES = 'payment-required: \r\n'.length;

/** The part of a challenge that a header always has. */
export interface ChallengeHead {
  readonly x402Version: number;
  readonly error: string;
  readonly resource: Resource & { readonly serviceName: string };
}

const bytesOf = (headers: Readonly<Record<string, string>>): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);

/**
 * The requirements for a header that fits beside `others`: the JSON and the encoded end for `encodeBefore`. The first
 * offers that fit are in it. `ends` are its encoded extensions, the longest first; the first one that fits is used, and
 * there is always room for the last one. The header is not whole if offers are left out.
 */
export const challengeHeader = (
  head: ChallengeHead,
  offers: readonly Offer[],
  ends: readonly string[],
  others: Readonly<Record<string, string>>,
): { readonly open: string; readonly end: string; readonly isWhole: boolean } => {
  const encodedMax = HEADERS_MAX - COMMON_BYTES - NAME_BYTES - bytesOf(others);
  const last = ends.at(-1) ?? '';
  let open = `${JSON.stringify(head).slice(0, -1)},"accepts":[`;
  let left = Math.floor(((encodedMax - last.length) * 3) / 4) - Buffer.byteLength(open);
  let count = 0;
  for (const offer of offers) {
    const text = `${count > 0 ? ',' : ''}${JSON.stringify(offer)}`;
    left -= text.length;
    if (count > 0 && left < END_BYTES) break;
    open += text;
    count += 1;
  }
  const room = encodedMax - Math.ceil((Buffer.byteLength(open) + END_BYTES) / 3) * 4;
  const end = ends.find((one) => one.length <= room) ?? last;
  return { open: `${open}]`, end, isWhole: count === offers.length };
};
