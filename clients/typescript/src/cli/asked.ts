import type { Requirement } from '../offer.ts';
import { USDC } from '../payable.ts';
import { fromBase64 } from '../wallet.ts';
import { NAMES, networkOf } from './networks.ts';
import { oneLine, usd } from './output.ts';

/** A way to pay, in the version of the protocol that the 402 uses. */
export interface Offer extends Requirement {
  /** The original object, which the payment must repeat. */
  readonly asWritten: object;
}

export interface Asked {
  readonly version: 1 | 2;
  readonly resource: { readonly url?: string; readonly description?: string };
  readonly offers: readonly Offer[];
}

export type Written = Readonly<Record<string, unknown>>;

const offerOf = (written: Written): Offer => {
  const network = String(written['network']);
  return {
    scheme: String(written['scheme']),
    network: networkOf(network),
    amount: String(written['amount'] ?? written['maxAmountRequired']),
    asset: String(written['asset']) as `0x${string}`,
    payTo: String(written['payTo']) as `0x${string}`,
    maxTimeoutSeconds: Number(written['maxTimeoutSeconds']),
    ...(typeof written['extra'] === 'object' && { extra: written['extra'] as Record<string, string> }),
    asWritten: written,
  };
};

/** The requirements of a 402, from its header (version 2) or its body (version 1); undefined without x402. */
export const readAsked = (headers: Headers, body: string): Asked | undefined => {
  try {
    const header = headers.get('payment-required');
    const { x402Version, accepts, resource } = (header === null ? JSON.parse(body) : fromBase64(header)) as {
      x402Version?: number;
      accepts?: readonly Written[];
      resource?: Asked['resource'];
    };
    if (!Array.isArray(accepts)) return undefined;
    const [first = {}] = accepts as readonly Written[];
    const old = { url: first['resource'], description: first['description'] } as Asked['resource'];
    return {
      version: x402Version === 2 ? 2 : 1,
      resource: resource ?? old,
      offers: (accepts as readonly Written[]).map(offerOf),
    };
  } catch {
    return undefined;
  }
};

export const describe = (offer: Offer, { resource }: Asked): string => {
  const { amount, asset, network, payTo, maxTimeoutSeconds } = offer;
  const isUsdc = USDC[network] === asset.toLowerCase();
  const lines = {
    asks: isUsdc ? `${usd(Number(amount))} in USDC` : `${oneLine(amount)} units of ${oneLine(asset)}`,
    on: `${NAMES[network] ?? 'a network'} (${oneLine(network)})`,
    to: oneLine(payTo),
    for: [resource.description, resource.url]
      .filter((one) => one !== undefined)
      .map((one) => oneLine(one))
      .join('  '),
    within: `${maxTimeoutSeconds} seconds`,
  };
  return Object.entries(lines)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `  ${name.padEnd(7)}${text}`)
    .join('\n');
};
