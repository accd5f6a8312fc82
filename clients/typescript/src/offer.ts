import { microIn } from './amounts.ts';

/** The requirement of a 402: one way to pay, in x402's form. */
export interface Requirement {
  readonly scheme: string;
  readonly network: string;
  readonly amount: string;
  readonly asset: `0x${string}`;
  readonly payTo: `0x${string}`;
  readonly maxTimeoutSeconds: number;
  readonly extra?: { readonly name?: string; readonly version?: string };
}

/** Circle's USDC. Another token could have any value, so it is signed only if the caller named it. */
export const USDC: Readonly<Record<string, string>> = {
  'eip155:8453': '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  'eip155:84532': '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
};

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** An honest service needs minutes. A validity of more than a day is not signed at all. */
const ASKED_SECONDS_MAX = 86_400;

/** The reason for not signing an offer; undefined if it may be signed. The text may contain words of the service. */
export const objectionTo = (
  offer: Requirement,
  assets: readonly string[],
  wanted = 'exact',
): string | undefined => {
  const { scheme, network, amount, asset, payTo, maxTimeoutSeconds } = offer;
  // Any field may have any value: it comes from outside.
  if (![scheme, network, amount, asset, payTo].every((field: unknown) => typeof field === 'string'))
    return 'it is no offer of x402';
  const token = asset.toLowerCase();
  if (scheme !== wanted) return `the scheme ${scheme} is not known here`;
  if (!/^eip155:\d{1,15}$/.test(network)) return `the network ${network} is not known here`;
  if (microIn(amount) === undefined) return 'its amount is no number';
  if (!ADDRESS.test(payTo)) return 'its payee is no address';
  if (!(maxTimeoutSeconds > 0 && maxTimeoutSeconds <= ASKED_SECONDS_MAX))
    return 'it could be taken for over a day';
  if (USDC[network] === token) return undefined;
  const isNamed = ADDRESS.test(token) && assets.some((one) => one.toLowerCase() === token);
  return isNamed
    ? undefined
    : `it is not USDC on Base, and ${token} is not named as a token that may be paid`;
};
