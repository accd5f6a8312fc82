import { type Micro } from '#kernel/money';
import { checksummed } from '#kernel/wallet-address';
import { v1NameOf } from '../v1-network-names';
import type { X402Network } from '#money/networks/networks';

/** The time for a client to sign and send. It also covers a client's clock that is wrong by up to this time. */
const SIGNING_SECONDS = 120;
/** The time for a settlement after the run. */
export const SETTLE_SECONDS = 30;
/** The least validity of an authorization. */
export const TIMEOUT_SECONDS_MIN = 300;

/** The service's own name in challenges: the host of its address. */
export const realmOf = ({ http }: { readonly http: { readonly publicUrl: string } }): string =>
  new URL(http.publicUrl).host;

export interface Requirement {
  readonly scheme: 'exact';
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Readonly<Record<string, string>>;
}

export interface Resource {
  readonly url: string;
  readonly description: string;
  readonly mimeType: string;
}

/** The validity of an authorization for a route: the run, its settlement, and the time to sign. */
export const maxTimeoutSeconds = (runSecondsMax: number): number =>
  Math.max(TIMEOUT_SECONDS_MIN, runSecondsMax + SETTLE_SECONDS + SIGNING_SECONDS);

/** The requirements to sign. Facilitators get them without a quote, because they may refuse unknown fields. */
export const requirementOf = (
  { network, asset, payTo, domain }: Pick<X402Network, 'network' | 'asset' | 'payTo' | 'domain'>,
  amount: Micro,
  timeoutSeconds: number,
  quote?: string,
): Requirement => ({
  scheme: 'exact',
  network,
  amount: amount.toString(),
  asset: checksummed(asset),
  payTo: checksummed(payTo),
  maxTimeoutSeconds: timeoutSeconds,
  extra: { ...domain, ...(quote !== undefined && { quote }) },
});

/** The requirements of version 1. Undefined if version 1 has no name for the network. */
export const v1RequirementsOf = (requirement: Requirement, resource: Resource) => {
  const network = v1NameOf(requirement.network);
  if (network === undefined) return [];
  const { scheme, amount, asset, payTo, maxTimeoutSeconds, extra } = requirement;
  return [
    {
      scheme,
      network,
      maxAmountRequired: amount,
      asset,
      payTo,
      maxTimeoutSeconds,
      resource: resource.url,
      description: resource.description,
      mimeType: resource.mimeType,
      extra: { name: extra['name'], version: extra['version'] },
    },
  ];
};

export const encodeHeader = (value: object): string =>
  Buffer.from(JSON.stringify(value), 'utf8').toString('base64');

/** The encoded end of a header, for `encodeBefore`: a field of the object, and the closing brace. */
export const encodeEnd = (name: string, value: object): string =>
  Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}}`, 'utf8').toString('base64');

/**
 * Builds the same header as `encodeHeader`, with an end that was encoded earlier, because most of a challenge never
 * changes. `open` is the JSON of an object without its closing brace. Base64 encodes groups of three bytes, so spaces
 * fill up the last group of the first part.
 */
export const encodeBefore = (open: string, end: string): string => {
  const text = `${open},`;
  const missing = (3 - (Buffer.byteLength(text) % 3)) % 3;
  return Buffer.from(text + ' '.repeat(missing), 'utf8').toString('base64') + end;
};
