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

/** RFC 8785 for entries, which contain strings and whole numbers. */
const canonical = (value: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));

const text = (words: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(words));

/** The leaf hash of an entry under its salt. */
export const entryLeafHash = async (sha256: Sha256, salt: string, entry: object): Promise<Uint8Array> => {
  const bytes = bytesOfBase64(salt);
  if (bytes.length !== 32) throw new ProofFailed('The salt of an entry has not 32 bytes.');
  return leafHash(sha256, await sha256(concat(bytes, text(canonical(entry)))));
};

/** Checks that an entry is in the tree of a checkpoint, and answers its leaf hash. */
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

/** Checks that the end of a charge is in the log, and that the receipt says the same as the log. */
export const checkReceipt = async (
  sha256: Sha256,
  receipt: Receipt,
  verifiers: readonly Verifier[],
): Promise<Checkpoint> => {
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
  await checkInclusion(sha256, proof, checkpoint);
  return checkpoint;
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

/**
 * Checks a page of a statement. Each entry is in the tree, names its predecessor and continues its balance. `before` is the end
 * of the previous page.
 */
export const checkStatement = async (
  sha256: Sha256,
  page: Statement,
  verifiers: readonly Verifier[],
  before?: StatementEnd,
): Promise<{ readonly checkpoint: Checkpoint | undefined; readonly end: StatementEnd | undefined }> => {
  const { owner, entries, openingBalanceMicro: opening, closingBalanceMicro: closing } = page;
  if (page.checkpoint === undefined) {
    if (entries.length > 0) throw new ProofFailed('The statement has entries and no checkpoint.');
    return { checkpoint: undefined, end: before };
  }
  const checkpoint = await openCheckpoint(page.checkpoint, verifiers);
  if (page.treeSize !== checkpoint.size)
    throw new ProofFailed('The statement is for another tree than its checkpoint.');
  if (before !== undefined && opening !== before.balanceMicro)
    throw new ProofFailed('A page does not begin with the balance that the page before it ends with.');
  let end: StatementEnd | undefined = before;
  let balance = opening;
  for (const proof of entries) {
    const { entry, leafIndex } = proof;
    checkEntry(entry, owner, balance);
    if (end !== undefined && (entry.previous !== end.previous || leafIndex <= end.leafIndex))
      throw new ProofFailed(`Something is missing or out of order before the entry ${entry.id}.`);
    if (end === undefined && entry.previous === '' && opening !== 0)
      throw new ProofFailed('The first entry of all does not begin with an empty balance.');
    const leaf = await checkInclusion(sha256, proof, checkpoint);
    balance = entry.balanceMicro;
    end = { previous: base64(leaf), balanceMicro: balance, leafIndex };
  }
  if (closing !== balance) throw new ProofFailed('The closing balance is not that of the last entry.');
  return { checkpoint, end };
};

const checkEntry = (entry: Entry, owner: string, balance: number): void => {
  const direction = DIRECTION[entry.kind];
  if (direction === undefined)
    throw new ProofFailed(`The entry ${entry.id} is of no known kind: ${entry.kind}.`);
  if (entry.owner !== owner) throw new ProofFailed(`The entry ${entry.id} belongs to somebody else.`);
  if (entry.balanceMicro !== balance + direction * entry.amountMicro)
    throw new ProofFailed(`The balance after the entry ${entry.id} is not that before it with its amount.`);
};
