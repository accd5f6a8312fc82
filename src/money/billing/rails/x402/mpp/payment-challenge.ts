import type { IncomingHttpHeaders } from 'node:http';

import { randomBytes } from '#kernel/random';
import { declarePageAccess } from '#platform/http/answers/browser-headers';
import type { Requirement } from '../challenge/requirements';

// Stock x402 clients send the second one as well.
declarePageAccess({ headers: ['accept-payment', 'access-control-expose-headers'] });

const ID = /^[A-Za-z0-9_-]{22}\.(.+)$/;

const encode = (value: object): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

/** Our quote in the id of a challenge. */
export const quoteIn = (id: string): string | undefined => ID.exec(id)?.[1];

/** The method `evm` with the intent `charge`, without a weight. */
const PLAIN_EVM = /(?:^|,)\s*evm\/charge\s*(?:,|$)/i;

/**
 * Whether the client names our method without a weight. The stock client `mppx` always does, and prefers a challenge to
 * the offers of x402. Without the name and version of the token it can sign only an offer of x402. With them it signs
 * both. Other clients send no preference, or one with a weight.
 */
export const paysByX402 = (headers: IncomingHttpHeaders): boolean =>
  PLAIN_EVM.test(String(headers['accept-payment'] ?? ''));

/** The part of a challenge that all calls with these requirements share. */
export const chargeOf = ({ network, amount, asset, payTo }: Requirement, realm: string): string => {
  // The fields are in the order of their names, as canonical JSON has them.
  const request = encode({
    amount,
    currency: asset,
    methodDetails: {
      chainId: Number(network.split(':')[1]),
      credentialTypes: ['authorization'],
      decimals: 6,
    },
    recipient: payTo,
  });
  return `realm="${realm}", method="evm", intent="charge", request="${request}"`;
};

/**
 * A charge as a challenge of the Machine Payments Protocol, for `WWW-Authenticate`. The signed nonce is the hash of the
 * id, so each challenge gets a new id. The quote in the id binds amount, token, receiver and call.
 */
export const paymentChallenge = (charge: string, quote: string, expires: Date): string =>
  `Payment id="${randomBytes(16).toString('base64url')}.${quote}", ${charge}, expires="${expires.toISOString()}"`;

/** The proof of a payment that answered an MPP challenge, for `Payment-Receipt`. */
export const paymentReceipt = (transaction: string, settledAt: Date): Readonly<Record<string, string>> => ({
  'payment-receipt': encode({
    method: 'evm',
    reference: transaction,
    status: 'success',
    timestamp: settledAt.toISOString(),
  }),
});
