import type { Receipt, Statement } from './answers.ts';
import {
  type Checkpoint,
  ProofFailed,
  type Verifier,
  base64,
  bytesOfBase64,
  openCheckpoint,
} from './checkpoint.ts';
import { type Sha256, concat, leafHash, rootByPath, sameBytes } from './tree.ts';

type Entry = Statement['entries'][number]['entry'];
type EntryProof = Statement['entries'][number];

/** An entry that was proven. Later, the service can't show this owner a different history. */
export interface KnownEntry {
  readonly origin: string;
  readonly owner: string;
  readonly at: string;
  readonly leafIndex: number;
  /** Its leaf hash, in base64. The hash commits to all earlier entries of the owner. */
  readonly leaf: string;
}

export const knownEntry = (
  origin: string,
  { entry: { owner, at }, leafIndex }: EntryProof,
  leaf: string,
): KnownEntry => ({ origin, owner, at, leafIndex, leaf });

/** Canonical JSON (RFC 8785) of entries, which contain only strings and whole numbers. */
const canonical = (value: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));

const text = (words: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(words));

/** The leaf hash of an entry with its salt. */
export const entryLeafHash = async (sha256: Sha256, salt: string, entry: object): Promise<Uint8Array> => {
  const bytes = bytesOfBase64(salt);
  if (bytes.length !== 32) throw new ProofFailed('The salt of an entry has not 32 bytes.');
  return leafHash(sha256, await sha256(concat(bytes, text(canonical(entry)))));
};

/** Checks that an entry is in the tree of a checkpoint, and returns its leaf hash. */
const checkInclusion = async (
  sha256: Sha256,
  { entry, salt, leafIndex, path }: EntryProof,
  { size, root }: Checkpoint,
): Promise<Uint8Array> => {
  const leaf = await entryLeafHash(sha256, salt, entry);
  const reached = await rootByPath(sha256, leaf, leafIndex, size, path.map(bytesOfBase64));
  if (reached === undefined || !sameBytes(reached, root))
    throw new ProofFailed(
      `The entry ${entry.id} is not in the log as it is shown: somebody has changed one of the two.`,
    );
  return leaf;
};

/** Checks that the end of a charge is in the log, and that the receipt agrees with the log. */
export const checkReceipt = async (
  sha256: Sha256,
  receipt: Receipt,
  verifiers: readonly Verifier[],
): Promise<{ readonly checkpoint: Checkpoint; readonly entry: KnownEntry }> => {
  const { proof } = receipt;
  if (proof === undefined)
    throw new ProofFailed(
      'The receipt has no proof. It comes about ten seconds after the charge has ended, and is shown to its owner.',
    );
  const checkpoint = await openCheckpoint(proof.checkpoint, verifiers);
  if (proof.treeSize !== checkpoint.size)
    throw new ProofFailed('The proof is for another tree than its checkpoint.');
  const { entry } = proof;
  const says: readonly (readonly [unknown, unknown, string])[] = [
    [entry.id, `${receipt.id}.${receipt.state}`, 'charge'],
    [entry.kind, receipt.state, 'state'],
    [entry.amountMicro, receipt.priceMicro, 'price'],
    [entry.owner, receipt.payer.startsWith('0x') ? receipt.payer.toLowerCase() : receipt.payer, 'payer'],
  ];
  const wrong = says.find(([inLog, inReceipt]) => inLog !== inReceipt);
  if (wrong !== undefined) throw new ProofFailed(`The receipt and the log differ in the ${wrong[2]}.`);
  const leaf = await checkInclusion(sha256, proof, checkpoint);
  return { checkpoint, entry: knownEntry(checkpoint.origin, proof, base64(leaf)) };
};

const DIRECTION: Readonly<Record<string, number>> = {
  top_up: 1,
  refund: 1,
  debit: -1,
  charged: 0,
  released: 0,
  refunded: 0,
};

/** The end of one page of a statement, which the next page continues. */
export interface StatementEnd {
  readonly previous: string;
  readonly balanceMicro: number;
  readonly leafIndex: number;
}

interface CheckedPage {
  readonly checkpoint: Checkpoint | undefined;
  readonly end: StatementEnd | undefined;
  /** The leaf hashes of the entries, in base64. */
  readonly leaves: readonly string[];
}

/** Checks the entry before a page, which proves the opening balance. */
const checkBefore = async (
  sha256: Sha256,
  { before, owner, openingBalanceMicro }: Statement,
  checkpoint: Checkpoint,
  from: string | undefined,
): Promise<StatementEnd> => {
  if (before === undefined) {
    if (openingBalanceMicro !== 0)
      throw new ProofFailed('The statement shows no entry that proves its opening balance.');
    return { previous: '', balanceMicro: 0, leafIndex: -1 };
  }
  const { entry, leafIndex } = before;
  if (from === undefined || new Date(entry.at) >= new Date(from))
    throw new ProofFailed(`The statement leaves out the entry ${entry.id}, which is of its time.`);
  if (entry.owner !== owner) throw new ProofFailed(`The entry ${entry.id} belongs to somebody else.`);
  if (entry.balanceMicro !== openingBalanceMicro)
    throw new ProofFailed('The opening balance is not that of the entry before it.');
  const leaf = await checkInclusion(sha256, before, checkpoint);
  return { previous: base64(leaf), balanceMicro: entry.balanceMicro, leafIndex };
};

/**
 * Checks a page of a statement: each entry is in the tree, names its predecessor and continues its balance. `after` is
 * the end of the previous page, and `from` is the start of the statement's period.
 */
export const checkStatement = async (
  sha256: Sha256,
  page: Statement,
  verifiers: readonly Verifier[],
  after?: StatementEnd,
  from?: string,
): Promise<CheckedPage> => {
  const { owner, entries, openingBalanceMicro: opening, closingBalanceMicro: closing } = page;
  if (page.checkpoint === undefined) {
    if (entries.length > 0 || opening !== 0 || closing !== 0)
      throw new ProofFailed('The statement names entries or balances, and no checkpoint.');
    return { checkpoint: undefined, end: after, leaves: [] };
  }
  const checkpoint = await openCheckpoint(page.checkpoint, verifiers);
  if (page.treeSize !== checkpoint.size)
    throw new ProofFailed('The statement is for another tree than its checkpoint.');
  let end = after ?? (await checkBefore(sha256, page, checkpoint, from));
  if (opening !== end.balanceMicro)
    throw new ProofFailed('A page does not begin with the balance that the page before it ends with.');
  const leaves: string[] = [];
  for (const proof of entries) {
    const { entry, leafIndex } = proof;
    checkEntry(entry, owner, end.balanceMicro);
    if (entry.previous !== end.previous || leafIndex <= end.leafIndex)
      throw new ProofFailed(`Something is missing or out of order before the entry ${entry.id}.`);
    const leaf = base64(await checkInclusion(sha256, proof, checkpoint));
    leaves.push(leaf);
    end = { previous: leaf, balanceMicro: entry.balanceMicro, leafIndex };
  }
  if (closing !== end.balanceMicro)
    throw new ProofFailed('The closing balance is not that of the last entry.');
  return { checkpoint, end, leaves };
};

const checkEntry = (entry: Entry, owner: string, balance: number): void => {
  const direction = DIRECTION[entry.kind];
  if (direction === undefined)
    throw new ProofFailed(`The entry ${entry.id} is of no known kind: ${entry.kind}.`);
  if (entry.owner !== owner) throw new ProofFailed(`The entry ${entry.id} belongs to somebody else.`);
  if (entry.balanceMicro !== balance + direction * entry.amountMicro)
    throw new ProofFailed(`The balance after the entry ${entry.id} is not that before it with its amount.`);
};
