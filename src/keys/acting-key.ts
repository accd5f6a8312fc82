import type { WalletAddress } from '../kernel/wallet-address';
import type { KeyScopes } from './key-scopes';

/** A key of those that a call goes by, its own and all above. */
interface KeyLevel {
  readonly id: string;
  readonly scopes?: KeyScopes;
}

/** A key that a call has come with, proven to work: whose money it spends, and what it may. */
export interface ActingKey {
  readonly id: string;
  /** The hash of the secret that the call came with, in base64. */
  readonly secret: string;
  /** The account, or the wallet, whose money it is. */
  readonly accountId?: string;
  readonly wallet?: WalletAddress;
  /** All keys whose word counts, the root first and itself last. */
  readonly levels: readonly KeyLevel[];
  /** True where the money was handed on: it sees only what is its own. */
  readonly isDelegated: boolean;
  readonly depth: number;
  /** The keys that a call counts against, with commas between them. */
  readonly counted: string;
  readonly reserveId?: string;
  /** The key of an account that the tree hangs from; undefined where the account or wallet made it itself. */
  readonly rootKeyId?: string;
  /** Which of two secrets it came with, while both work. */
  readonly exchanged?: 'old' | 'new';
}

/** What the database can tell by whether the key, by this secret, still works. */
export const keyProof = ({ id, secret }: Pick<ActingKey, 'id' | 'secret'>): string => `key ${id} ${secret}`;

/** Whose it is: the account's id, or the wallet. */
export const ownerOfKey = ({ accountId, wallet }: Pick<ActingKey, 'accountId' | 'wallet'>): string =>
  accountId ?? wallet ?? '';
