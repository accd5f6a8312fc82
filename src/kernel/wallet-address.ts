import { getAddress } from 'viem';

import type { Brand } from './brand';

/** An EVM address in lower case, so that 0xAB… and 0xab… are one wallet everywhere. */
export type WalletAddress = Brand<`0x${string}`, 'WalletAddress'>;

const ADDRESS = /^0x[a-fA-F0-9]{40}$/;

export const parseWallet = (text: string): WalletAddress | undefined =>
  ADDRESS.test(text) ? (text.toLowerCase() as WalletAddress) : undefined;

/** Answers show wallets in checksum form; only keys and columns are lower case. */
export const checksummed = (wallet: WalletAddress): string => getAddress(wallet);
