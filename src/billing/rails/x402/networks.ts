/** The names of networks in version 1 of the protocol; its clients know no others. */
const V1_NAMES: Readonly<Record<string, string>> = {
  'eip155:8453': 'base',
  'eip155:84532': 'base-sepolia',
  'eip155:43114': 'avalanche',
  'eip155:43113': 'avalanche-fuji',
  'eip155:137': 'polygon',
  'eip155:80002': 'polygon-amoy',
};

export const v1NameOf = (network: string): string | undefined => V1_NAMES[network];

/** The EIP-712 domain of a token's signatures. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
}

/** USDC is `USD Coin` on the main networks; its test tokens call themselves `USDC`. A wrong name fails every signature. */
export const tokenDomainOf = (network: string): TokenDomain => ({
  name: ['eip155:84532', 'eip155:80002'].includes(network) ? 'USDC' : 'USD Coin',
  version: '2',
});
