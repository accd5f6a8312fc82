/** The names of networks in version 1 of the protocol. Its clients know no other names. */
const V1_NAMES: Readonly<Record<string, string>> = {
  'eip155:8453': 'base',
  'eip155:84532': 'base-sepolia',
  'eip155:43114': 'avalanche',
  'eip155:43113': 'avalanche-fuji',
  'eip155:137': 'polygon',
  'eip155:80002': 'polygon-amoy',
};

export const v1NameOf = (network: string): string | undefined => V1_NAMES[network];
