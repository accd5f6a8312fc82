import { createPublicKey, verify } from 'node:crypto';

import { QuoteLock } from '#money/billing/prices/quote-lock';
import { Clock } from '#kernel/clock';
import { micro } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import { SigningKeys } from '#platform/config/signing-keys';
import type { World } from '../support/world';

interface Quoted {
  readonly price?: bigint;
  readonly payer?: string | undefined;
  readonly modelId?: string;
  readonly input?: string;
  readonly secondsAgo?: number;
}

class EarlierClock extends Clock {
  constructor(private readonly secondsAgo: number) {
    super();
  }

  now(): Date {
    return new Date(Date.now() - this.secondsAgo * 1_000);
  }
}

/** A quote with the service's own seal and any content. */
export const forgedQuote = (world: World, quoted: Quoted): string => {
  const { price = 2_000n, payer, modelId = 'lumen-flash', input = 'chat|20|64', secondsAgo = 0 } = quoted;
  const locks = new QuoteLock(new SigningKeys(world.settings), new EarlierClock(secondsAgo));
  const list = micro(price);
  const priced = { modelId, mode: 'chat', input, list, floor: list, live: false } as const;
  return locks.seal(priced, list, payer === undefined ? undefined : parseWallet(payer)).quoteId;
};

interface Jwks {
  readonly keys: readonly { readonly kid: string; readonly kty: string; readonly x: string }[];
}

/**
 * Checks a signature by RFC 7515, appendix F, without the service's code. The payload is the receipt without `jws`,
 * with sorted keys and without spaces.
 */
export const isSignedBy = ({ keys }: Jwks, jws: string, receipt: object): boolean => {
  const [header = '', empty, signature = ''] = jws.split('.');
  const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as Record<
    string,
    string
  >;
  const key = keys.find((published) => published.kid === kid);
  if (key === undefined || alg !== 'EdDSA' || empty !== '') return false;
  const sorted = JSON.stringify(receipt, Object.keys(receipt).sort());
  const signed = Buffer.from(`${header}.${Buffer.from(sorted).toString('base64url')}`);
  return verify(
    null,
    signed,
    createPublicKey({ key: { ...key }, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  );
};
