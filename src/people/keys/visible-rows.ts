import { type Acting, onlyMaker } from '#people/accounts/acting-person';
import type { ActingKey } from './acting-key';

/**
 * The rows of an owner that a caller sees. Every list of calls, events, transactions, webhooks and files takes a view,
 * so a credential of any kind shows its person the same rows. `docs/security.md` has the rule as a table.
 */
export interface View {
  readonly owner: string;
  /** A delegated key sees only rows of its own calls: this is its id. */
  readonly onlyKey?: string;
  /** Developers see only their own rows, and those of keys that they made: this is the id of the person. */
  readonly onlyMember?: string;
}

export const viewOfSession = (acting: Acting): View => ({
  owner: acting.organisation.id,
  onlyMember: onlyMaker(acting),
});

/** The view of a payer with a session, with a key, or with a wallet's sign-in. */
export const viewOf = (
  owner: string,
  { key, acting }: { readonly key?: ActingKey; readonly acting?: Acting },
): View => {
  if (acting !== undefined) return viewOfSession(acting);
  if (key?.isDelegated === true) return { owner, onlyKey: key.id };
  return { owner, onlyMember: key?.developer };
};

/** The person of a payer: of the session, or the maker of the key. Undefined for keys of a personal account. */
export const personOf = ({
  key,
  acting,
}: {
  readonly key?: ActingKey;
  readonly acting?: Acting;
}): string | undefined => acting?.person.id ?? key?.maker;

/** Whether the caller sees all rows of the owner. */
export const isWholeView = ({ onlyKey, onlyMember }: View): boolean =>
  onlyKey === undefined && onlyMember === undefined;
