import type { WalletAddress } from '../../kernel/wallet-address';

/** The ledger's name for a wallet's prepaid balance. */
export const walletAccount = (wallet: WalletAddress): string => `wallet:${wallet}`;

/** The ledger's name for an account's credits. */
export const creditsAccount = (accountId: string): string => `credits:${accountId}`;

/** The wallet whose balance this is; undefined of an account's credits. */
export const walletOf = (account: string): string | undefined => /^wallet:(.+)$/.exec(account)?.[1];
