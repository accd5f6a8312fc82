import type { LamppostOptions } from '../lamppost.ts';
import { Misused, type Options } from './options.ts';

/** The names of networks, for people. */
export const NAMES: Readonly<Record<string, string>> = {
  'eip155:1': 'Ethereum',
  'eip155:10': 'OP Mainnet',
  'eip155:137': 'Polygon',
  'eip155:8453': 'Base',
  'eip155:42161': 'Arbitrum',
  'eip155:43113': 'Avalanche Fuji, a test network',
  'eip155:43114': 'Avalanche',
  'eip155:80002': 'Polygon Amoy, a test network',
  'eip155:84532': 'Base Sepolia, a test network',
};

/**
 * The network with a name such as `base-sepolia`; version 1 of x402 uses such names as well. Any other text stays
 * unchanged.
 */
export const networkOf = (name: string): string => {
  const isNamed = ([, one]: [string, string]): boolean =>
    one.replace(/,.*/, '').toLowerCase().replaceAll(' ', '-') === name.toLowerCase();
  return Object.entries(NAMES).find(isNamed)?.[0] ?? name;
};

/** The networks and the token from the command line and the environment. */
export const payableOptions = ({ network, asset }: Options): Pick<LamppostOptions, 'networks' | 'assets'> => {
  const named = network ?? (process.env['LAMPPOST_NETWORK'] || undefined);
  const networks = named?.split(',').map((one) => networkOf(one.trim()));
  const unknown = networks?.find((one) => !/^eip155:[1-9]\d{0,14}$/.test(one));
  if (unknown !== undefined)
    throw new Misused(`${unknown} is no network: write polygon, or eip155: and the number of its chain.`);
  return { ...(networks && { networks }), ...(asset !== undefined && { assets: [asset] }) };
};
