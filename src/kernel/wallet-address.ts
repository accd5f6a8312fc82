import { LRUCache } from 'lru-cache';

import type { Brand } from './brand';
import { keccak256 } from './keccak';

/** An EVM address in lower case, so that 0xAB… and 0xab… count as the same wallet everywhere. */
export type WalletAddress = Brand<`0x${string}`, 'WalletAddress'>;

const ADDRESS = /^0x[a-fA-F0-9]{40}$/;

export const parseWallet = (text: string): WalletAddress | undefined =>
  ADDRESS.test(text) ? (text.toLowerCase() as WalletAddress) : undefined;

/** Answers show wallets in checksum form; only keys and columns are lower case. */
export const checksummed = (wallet: WalletAddress): string => spellings.memo(wallet);

/** A letter is upper case if the hash of the address has a digit of at least 8 at its position (EIP-55). */
const spelt = (wallet: WalletAddress): string => {
  const letters = wallet.slice(2);
  const hash = keccak256(letters).toString('hex');
  return `0x${Array.from(letters, (letter, n) => (hash[n]! >= '8' ? letter.toUpperCase() : letter)).join('')}`;
};

const spellings = new LRUCache<WalletAddress, string>({ max: 10_000, memoMethod: spelt });
