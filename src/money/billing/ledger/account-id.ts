import type { WalletAddress } from '#kernel/wallet-address';

/** The prefixes of ledger account names, by the kind of owner. */
export const WALLETS = 'wallet';
export const CREDITS = 'credits';

/** The ledger's name for a wallet's prepaid balance. */
export const walletAccount = (wallet: WalletAddress): string => `${WALLETS}:${wallet}`;

/** The ledger's name for an account's credits. */
export const creditsAccount = (accountId: string): string => `${CREDITS}:${accountId}`;

/** The wallet of a ledger account; undefined for an account's credits. */
export const walletOf = (account: string): string | undefined => /^wallet:(.+)$/.exec(account)?.[1];
