import type { LamppostOptions } from './options.ts';

/** Circle's USDC on the networks that this client knows. */
export const USDC: Readonly<Record<string, string>> = {
  'eip155:1': '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  'eip155:10': '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
  'eip155:137': '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  'eip155:8453': '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  'eip155:42161': '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  'eip155:43113': '0x5425890298aed601595a70ab815c96711a31bc65',
  'eip155:43114': '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e',
  'eip155:80002': '0x41e94eb019c0762f9bfcf9fb1e58725bfb0e7582',
  'eip155:84532': '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
};

/** Base, and its test network. */
const USUAL = ['eip155:8453', 'eip155:84532'];
const NETWORK = /^eip155:[1-9]\d{0,14}$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;

/** The networks and tokens for which a wallet may sign. A service can't extend them. */
export interface Payable {
  /** Whether the caller named this network. */
  has(network: string): boolean;
  /** Whether this token may be paid on this network. */
  takes(network: string, token: string): boolean;
  /** The caller's preference: the smallest number comes first. */
  rankOf(network: string): number;
  /** The network of sign-ins. */
  readonly chainId: number;
}

/**
 * Reads the options of a client. A network without a known token is an error, because the service could otherwise
 * choose the token.
 */
export const payableOf = ({
  networks,
  assets = [],
}: Pick<LamppostOptions, 'networks' | 'assets'>): Payable => {
  if (!Array.isArray(assets)) throw new TypeError('assets is a list of tokens.');
  const own = (assets as NonNullable<LamppostOptions['assets']>).map((one) => {
    const { network, asset }: { network?: string; asset: unknown } =
      typeof one === 'string' ? { asset: one } : { ...one };
    const token = String(asset).toLowerCase();
    if (!ADDRESS.test(token) || !(network === undefined || NETWORK.test(network)))
      throw new TypeError('assets are addresses of tokens, or { network: "eip155:137", asset: "0x…" }.');
    return { network, token };
  });
  const preferred = networks ?? [];
  if (!Array.isArray(preferred) || networks?.length === 0 || !preferred.every((one) => NETWORK.test(one)))
    throw new TypeError('networks is a list such as ["eip155:8453", "eip155:137"].');
  const named = new Set<string>(networks ?? USUAL);
  for (const { network } of own) if (network !== undefined) named.add(network);
  const takes = (network: string, token: string): boolean =>
    named.has(network) &&
    (USDC[network] === token ||
      own.some((one) => one.token === token && (one.network ?? network) === network));
  for (const network of named) {
    if (USDC[network] === undefined && own.every((one) => (one.network ?? network) !== network))
      throw new TypeError(
        `The USDC of ${network} is not known here: name its token, assets: [{ network: '${network}', asset: '0x…' }].`,
      );
  }
  return {
    has: (network) => named.has(network),
    takes,
    rankOf: (network) => (networks === undefined ? 0 : preferred.indexOf(network) >>> 0),
    chainId: Number((networks?.[0] ?? USUAL[0]!).slice('eip155:'.length)),
  };
};
