import { randomBytes } from 'node:crypto';

import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension } from '@x402/extensions/payment-identifier';

import { keepText } from '#kernel/json-text';
import { SIGN_IN_MS_MAX } from '#people/identity/sign-in-age';
import { schemaOf } from '#platform/http/routes/schema-of';
import type { PayableRoute } from '../../payable-call';
import { neededOf, outlineOf } from './body-outline';
import { encodeEnd } from './requirements';

/** The schema in the body of a 402. The OpenAPI document has all fields. */
const SCHEMA_BYTES_MAX = 1_500;
/** The schema in the header: the required fields, or none. */
const HEADER_SCHEMA_BYTES_MAX = 250;
const ANY_OBJECT = { type: 'object' };
const OUTPUT = { type: 'object', properties: { example: ANY_OBJECT } };

type Extensions = Readonly<Record<string, unknown>>;

interface RouteExtensions {
  /** The whole extensions, for the body of a 402 and for the list of paid resources. */
  readonly whole: Extensions;
  /** The short form, for a header. */
  readonly short: Extensions;
  /** The short form and its parts, encoded as the end of a header, the longest first. */
  readonly ends: readonly string[];
}

const known = new Map<PayableRoute['body'], RouteExtensions>();

/** The ends of a header with these extensions, the longest first. The header always has the last ones. */
export const endsOf = (...extensions: readonly Extensions[]): readonly string[] =>
  extensions.map((each) => encodeEnd('extensions', each));

/**
 * The constant part of a route's challenge: the idempotency key and the body. Each process makes it once. A header has
 * room for the example and the required fields only.
 */
export const routeExtensions = (route: PayableRoute): RouteExtensions => {
  let made = known.get(route.body);
  if (made === undefined) {
    const schema = schemaOf(route.body);
    const discovery = declareDiscoveryExtension({
      method: 'POST',
      bodyType: 'json',
      input: route.example.body,
      inputSchema: outlineOf(schema, SCHEMA_BYTES_MAX),
      output: { example: route.example.answer },
    } as Parameters<typeof declareDiscoveryExtension>[0]);
    const identifier = declarePaymentIdentifierExtension(false);
    const input = { type: 'object', properties: { body: neededOf(schema, HEADER_SCHEMA_BYTES_MAX) } };
    const short = {
      bazaar: {
        info: discovery.bazaar?.info,
        schema: { type: 'object', properties: { input, output: OUTPUT } },
      },
      'payment-identifier': { info: identifier.info, schema: ANY_OBJECT },
    };
    made = {
      whole: keepText({ ...discovery, 'payment-identifier': identifier }),
      short,
      ends: endsOf(short, { 'payment-identifier': short['payment-identifier'] }, {}),
    };
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
      expirationTime: new Date(now.getTime() + SIGN_IN_MS_MAX).toISOString(),
      statement: 'Pay from the balance of this wallet.',
      resources: [resourceUrl],
    },
    supportedChains: networks.map((chainId) => ({ chainId, type: 'eip191' })),
    schema: ANY_OBJECT,
  },
});
