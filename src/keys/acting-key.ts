import type { WalletAddress } from '../kernel/wallet-address';
import type { KeyScopes } from './key-scopes';

/** One of the keys of a call, its own or one above. */
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
  /** The keys that a call counts against, separated by commas. */
  readonly counted: string;
  readonly reserveId?: string;
  /** The budget of its member; undefined if a reserve has counted the money there already. */
  readonly budgetId?: string;
  /** The account's key at the root of the tree; undefined if the account or wallet made it itself. */
  readonly rootKeyId?: string;
  /** The secret of the call, while two work. */
  readonly exchanged?: 'old' | 'new';
}

/** The proof by which the database checks whether the key, with this secret, still works. */
export const keyProof = ({ id, secret }: Pick<ActingKey, 'id' | 'secret'>): string => `key ${id} ${secret}`;

/** Its owner: the account's id, or the wallet. */
export const ownerOfKey = ({ accountId, wallet }: Pick<ActingKey, 'accountId' | 'wallet'>): string =>
  accountId ?? wallet ?? '';
