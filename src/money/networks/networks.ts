import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';

/** The recipient of x402 payments while no wallet is configured. Challenges show it, and nobody has its key. */
export const SANDBOX_PAY_TO = '0x000000000000000000000000000000000000dead' as WalletAddress;

/** Wallets without a known private key. */
export const NOBODYS: readonly string[] = [SANDBOX_PAY_TO, `0x${'0'.repeat(40)}`];

/** Each offer takes about a kilobyte of the header of a 402, and clients accept 16 KB of headers. */
export const NETWORKS_MAX = 6;

/** Networks whose money has no value. Any other network counts as real. */
export const TEST_NETWORKS: ReadonlySet<number> = new Set([
  51, 1_328, 4_801, 10_143, 31_611, 43_113, 59_141, 72_344, 80_002, 84_532, 181_228, 421_614, 763_373,
  11_142_220, 11_155_111, 11_155_420, 168_587_773,
]);

/**
 * On these networks the token's name is `USDC`; elsewhere it is `USD Coin`. With a wrong name, every signature is
 * invalid.
 */
export const NAMED_USDC: ReadonlySet<number> = new Set([
  50, 51, 143, 10_143, 1_328, 1_329, 42_220, 80_002, 84_532, 11_142_220,
]);

/**
 * The blocks that no reorganisation can change: those that nodes call final, or those at least this far below the
 * newest.
 */
export type Finality = 'finalized' | 'safe' | bigint;

/** A network on which payments arrive. */
export interface X402Network {
  readonly network: string;
  readonly chainId: number;
  readonly asset: WalletAddress;
  readonly payTo: WalletAddress;
  readonly facilitator: 'sandbox' | 'local' | 'http';
  readonly facilitatorUrl: string | undefined;
  readonly rpcUrls: readonly string[];
  /** Whether the chain runs on this machine. It counts as a test chain until its node reports another chain. */
  readonly onThisMachine: boolean;
  readonly finality: Finality;
  /** The price of the network's coin. */
  readonly nativeUsd: Micro | undefined;
  /** The EIP-712 domain of the token's signatures. */
  readonly domain: { readonly name: string; readonly version: string };
}

/** The configured network of this name; undefined if the service does not take payments there. */
export const networkIn = (
  { networks }: { readonly networks: readonly X402Network[] },
  name: string,
): X402Network | undefined => networks.find(({ network }) => network === name);

export const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;

export const originsOf = (networks: readonly X402Network[]): readonly string[] =>
  networks.flatMap(({ facilitatorUrl }) => originOf(facilitatorUrl) ?? []);
