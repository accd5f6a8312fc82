import type { WalletAddress } from '#kernel/wallet-address';
import type { KeyScopes } from './key-scopes';

/** One of the keys that limit a call: its own key, or a key above it. */
interface KeyLevel {
  readonly id: string;
  readonly scopes?: KeyScopes;
}

/** The proven key of a call, with its owner and its rights. */
export interface ActingKey {
  readonly id: string;
  /** The hash of the call's secret, in base64. */
  readonly secret: string;
  /** The account or the wallet that pays. */
  readonly accountId?: string;
  readonly wallet?: WalletAddress;
  /** All keys that limit the call, the root first and the key itself last. */
  readonly levels: readonly KeyLevel[];
  /** True for a delegated key: it sees only its own objects. */
  readonly isDelegated: boolean;
  readonly depth: number;
  /** The maker of the key, or of the root key above it. Undefined for wallets and personal accounts. */
  readonly maker?: string;
  /** The same person, if they are a developer. */
  readonly developer?: string;
  /** The keys that a call counts against, separated by commas. */
  readonly counted: string;
  readonly reserveId?: string;
  /** The budget of its member; undefined if a reserve was already counted against that budget. */
  readonly budgetId?: string;
  /** The account's key at the root of the tree; undefined if the account or wallet made this key itself. */
  readonly rootKeyId?: string;
  /** Which secret the call used, while both work. */
  readonly exchanged?: 'old' | 'new';
}

/** The proof by which the database checks whether the key still works with this secret. */
export const keyProof = ({ id, secret }: Pick<ActingKey, 'id' | 'secret'>): string => `key ${id} ${secret}`;

/** The most that one call may cost by the scopes of the key and of all keys above it; undefined without such a scope. */
export const priceMaxOf = ({ levels }: ActingKey): bigint | undefined => {
  const most = levels.flatMap(({ scopes }) => scopes?.priceMicroMax ?? []);
  return most.length === 0 ? undefined : BigInt(Math.min(...most));
};

/** The owner of the key: the account's id, or the wallet. */
export const ownerOfKey = ({ accountId, wallet }: Pick<ActingKey, 'accountId' | 'wallet'>): string =>
  accountId ?? wallet ?? '';
