import { randomBytes } from 'node:crypto';

import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension } from '@x402/extensions/payment-identifier';
import { buildSIWxSchema } from '@x402/extensions/sign-in-with-x';

import { schemaOf } from '../../../../platform/http/routes/schema-of';
import type { PayableRoute } from '../../payable-call';
import { outlineOf } from './body-outline';
import { encodeEnd } from './requirements';

/** Keeps the whole header below 6 KB: proxies and old clients accept at most 8 KB of headers. */
const SCHEMA_BYTES_MAX = 1_500;
const SIGN_IN_SECONDS = 300;

type Extensions = Readonly<Record<string, unknown>>;

interface RouteExtensions {
  readonly extensions: Extensions;
  /** The extensions, encoded as the end of a header. */
  readonly encoded: string;
}

const known = new Map<PayableRoute['body'], RouteExtensions>();

/** The constant part of a route's challenge: the idempotency key and the body. Each process encodes it once. */
export const routeExtensions = (route: PayableRoute): RouteExtensions => {
  let made = known.get(route.body);
  if (made === undefined) {
    const schema = schemaOf(route.body);
    const bazaar = declareDiscoveryExtension({
      method: 'POST',
      bodyType: 'json',
      input: route.example.body,
      inputSchema: outlineOf(schema, SCHEMA_BYTES_MAX),
      output: { example: route.example.answer },
    } as Parameters<typeof declareDiscoveryExtension>[0]);
    const extensions = { ...bazaar, 'payment-identifier': declarePaymentIdentifierExtension(false) };
    made = { extensions, encoded: encodeEnd('extensions', extensions) };
    known.set(route.body, made);
  }
  return made;
};

/**
 * Offers to spend the wallet's balance instead of a payment. If every caller got this offer, paid routes would look
 * free.
 */
export const signInExtension = (
  resourceUrl: string,
  domain: string,
  networks: readonly string[],
  now: Date,
): Extensions => ({
  'sign-in-with-x': {
    info: {
      domain,
      uri: resourceUrl,
      version: '1',
      nonce: randomBytes(16).toString('hex'),
      issuedAt: now.toISOString(),
      expirationTime: new Date(now.getTime() + SIGN_IN_SECONDS * 1_000).toISOString(),
      statement: 'Pay from the balance of this wallet.',
      resources: [resourceUrl],
    },
    supportedChains: networks.map((chainId) => ({ chainId, type: 'eip191' })),
    schema: buildSIWxSchema(),
  },
});
