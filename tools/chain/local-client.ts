import { createTestClient, defineChain, http, publicActions, walletActions } from 'viem';
import { CHAIN_ID } from './anvil-process';

/** Base, or another network, on the local chain. An import of viem’s own list would load several hundred chains. */
const localChainOf = (id: number) =>
  defineChain({
    id,
    name: `Local test chain ${id}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
    contracts: { multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } },
  });

// A block exists within milliseconds. With viem’s usual pause of seconds, a test would mostly wait.
const POLLING_MS = 10;

/** Reads, sends and controls the local chain. It caches nothing, so that a test reads its own changes. */
export const localClient = (rpcUrl: string, chainId = CHAIN_ID) =>
  createTestClient({
    mode: 'anvil',
    chain: localChainOf(chainId),
    transport: http(rpcUrl),
    pollingInterval: POLLING_MS,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);

export type LocalClient = ReturnType<typeof localClient>;
