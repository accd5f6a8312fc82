import type { Receipt, Statement } from './answers.ts';
import { type Checkpoint, ProofFailed, type Verifier, openCheckpoint, verifierOf } from './checkpoint.ts';
import {
  type KnownEntry,
  type StatementEnd,
  checkReceipt,
  checkStatement,
  entryLeafHash,
  knownEntry,
} from './log-proofs.ts';
import type { Lamppost } from './lamppost.ts';
import { pause } from './pause.ts';
import { type ReadLog, checkConsistent, checkWholeLog, isPart } from './tile-reader.ts';
import { type Sha256, sameBytes, webSha256 } from './tree.ts';

export { ProofFailed };
export type { KnownEntry };
/** @internal */
export { bytesOfBase64, cosignatureLine, openCheckpoint, verifierOf, witnessKey } from './checkpoint.ts';
/** @internal */
export type { Checkpoint } from './checkpoint.ts';
/** @internal */
export { isConsistent } from './tree.ts';

/** Your own records about a log, which the service can't change. */
export interface Trust {
  /** Verifier keys of the log. Without them, the check uses the keys that the service names now. */
  readonly verifiers?: readonly string[];
  /** Checkpoints that you have seen earlier. The present log must extend each of them. */
  readonly seen?: readonly string[];
  /** Your entries that were proven earlier. A statement of their time must contain them. */
  readonly known?: readonly KnownEntry[];
  /** Keys of witnesses. Each witness must have cosigned the newest checkpoint. */
  readonly witnesses?: readonly string[];
  /** A synchronous hash function, such as that of `node:crypto`, makes a long log faster. */
  readonly sha256?: Sha256;
}

/** The result of a check. Keep the checkpoint and the known entries, because later answers must agree with them. */
export interface Proven {
  readonly origin: string;
  readonly size: number;
  readonly checkpoint: string;
  /** The names of the keys that have signed the checkpoint. They include witnesses if their keys were given. */
  readonly signers: readonly string[];
  /** The previous log, if the service has begun a new one because its database was restored. */
  readonly follows: string | undefined;
  readonly verifiers: readonly string[];
  readonly known: readonly KnownEntry[];
}

export interface ProvenStatement extends Proven {
  readonly owner: string;
  readonly openingBalanceMicro: number;
  readonly closingBalanceMicro: number;
  readonly entries: Statement['entries'];
}

interface Log {
  readonly origin: string;
  readonly address: string;
  readonly verifierKeys: readonly string[];
  readonly isCurrent: boolean;
  readonly follows?: string;
}

const originOf = (note: string): string => note.slice(0, note.indexOf('\n'));
const sizeOf = (note: string): number => Number(note.split('\n', 2)[1]);

const textOf = (note: string): string => note.slice(0, note.lastIndexOf('\n\n'));

/** The most known entries that the check of a receipt returns. */
const KNOWN_MAX = 1_000;

/** The most tries to read a newest checkpoint that all its witnesses have cosigned. */
const WITNESS_TRIES = 5;
const WITNESS_MS = 1_000;

/** The salt of the only public entry. */
const NO_SALT = btoa('\0'.repeat(32));

/** A log as the service shows it now, with its known checkpoints. */
interface View {
  readonly log: Log;
  readonly read: ReadLog;
  readonly newest: Checkpoint;
  readonly sha256: Sha256;
  readonly verifiers: readonly Verifier[];
  readonly verifierKeys: readonly string[];
  readonly seen: readonly Checkpoint[];
  readonly seenElsewhere: readonly string[];
  readonly known: readonly KnownEntry[];
}

/** Proves the money of a service without trusting it: everything is in an append-only log. */
export class Proofs {
  constructor(private readonly lamppost: Pick<Lamppost, 'read'>) {}

  /**
   * Checks that the end of a charge is in the log, and that the receipt agrees with the log. Throws `ProofFailed`.
   * @example
   * const { charge } = await lamppost.chat('Hello.');
   * const receipt = await lamppost.receipts.get(charge.id);
   * if (receipt.proof) await new Proofs(lamppost).verifyReceipt(receipt);
   */
  readonly verifyReceipt = async (receipt: Receipt, trust: Trust = {}): Promise<Proven> => {
    const view = await this.view(trust);
    const { checkpoint, entry } = await checkReceipt(view.sha256, receipt, view.verifiers);
    const others = view.known.filter(({ leaf }) => leaf !== entry.leaf);
    return this.proven(view, [checkpoint], [...others, entry].slice(-KNOWN_MAX));
  };

  /**
   * Reads all your entries of a range of time and checks them: each is in the log, none is missing, and the balances
   * add up. Throws `ProofFailed`.
   * @example
   * const { entries, closingBalanceMicro } = await new Proofs(lamppost).verifyStatement({ from: '2026-01-01T00:00:00Z' });
   */
  readonly verifyStatement = async (
    period: { readonly from?: string; readonly to?: string } = {},
    trust: Trust = {},
  ): Promise<ProvenStatement> => {
    const view = await this.view(trust);
    const entries: Statement['entries'][number][] = [];
    const leaves: string[] = [];
    const checkpoints: Checkpoint[] = [];
    const to = period.to ?? new Date().toISOString();
    let opening: number | undefined;
    let cursor: string | undefined;
    let end: StatementEnd | undefined;
    for (;;) {
      const query: Record<string, string> = { ...period, to, ...(cursor !== undefined && { cursor }) };
      const answer = await this.lamppost.read('/v1/agent/statement', { query });
      const page = (await answer.json()) as Statement;
      const checked = await checkStatement(view.sha256, page, view.verifiers, end, period.from);
      if (checked.checkpoint !== undefined) checkpoints.push(checked.checkpoint);
      entries.push(...page.entries);
      leaves.push(...checked.leaves);
      opening ??= page.openingBalanceMicro;
      ({ end } = checked);
      cursor = page.nextCursor;
      if (cursor !== undefined) continue;
      const { owner, closingBalanceMicro } = page;
      const shown = entries.map((proof, at) => knownEntry(view.log.origin, proof, leaves[at]!));
      const known = stillKnown(view.known, shown, { owner, from: period.from, to, origin: view.log.origin });
      const proven = await this.proven(view, checkpoints, known);
      return { ...proven, owner, openingBalanceMicro: opening, closingBalanceMicro, entries };
    }
  };

  /**
   * Reads the whole log and checks that its entries make the tree of its checkpoint. Throws `ProofFailed`.
   * @example
   * const { checkpoint } = await new Proofs(lamppost).verifyLog();
   */
  readonly verifyLog = async (trust: Trust = {}, onProgress?: (size: number) => void): Promise<Proven> => {
    const view = await this.view(trust);
    await checkWholeLog(view.sha256, view.read, view.newest, view.seen, onProgress);
    return this.proven(view, [], view.known);
  };

  private async view({
    verifiers,
    seen = [],
    known = [],
    witnesses = [],
    sha256 = webSha256,
  }: Trust): Promise<View> {
    const { logs } = (await (await this.lamppost.read('/transparency/logs')).json()) as {
      logs: readonly Log[];
    };
    const log = logs.find(({ isCurrent }) => isCurrent);
    if (log === undefined)
      throw new ProofFailed('The service has sealed nothing yet. Ask again in ten seconds.');
    const texts = verifiers ?? log.verifierKeys;
    const named = await Promise.all(texts.map((key) => verifierOf(sha256, key)));
    // The same key signs a log that follows another one, under the new log's name.
    const own = await Promise.all(log.verifierKeys.map((key) => verifierOf(sha256, key)));
    const cosigners = await Promise.all(witnesses.map((key) => verifierOf(sha256, key)));
    const keys = [
      ...named,
      ...own.filter(({ key }) => named.some((one) => sameBytes(one.key, key))),
      ...cosigners,
    ];
    const read: ReadLog = async (path) => {
      const response = await this.lamppost.read(`${log.address}/${path}`);
      return new Uint8Array(await response.arrayBuffer());
    };
    const newest = await newestCosigned(read, keys, cosigners);
    if (newest.origin !== log.origin)
      throw new ProofFailed('The service shows the checkpoint of another log.');
    return {
      log,
      read,
      known,
      newest,
      sha256,
      verifiers: keys,
      verifierKeys: texts,
      seen: await Promise.all(
        seen.filter((note) => originOf(note) === log.origin).map((note) => openCheckpoint(note, keys)),
      ),
      seenElsewhere: seen.filter((note) => originOf(note) !== log.origin),
    };
  }

  /** Compares all known checkpoints of the log with the newest one, and the log with the previous log. */
  private async proven(
    view: View,
    checkpoints: readonly Checkpoint[],
    entries: readonly KnownEntry[],
  ): Promise<Proven> {
    const { log, read, sha256, newest } = view;
    for (const known of [...view.seen, ...checkpoints]) {
      if (known.origin !== log.origin)
        throw new ProofFailed(
          `The proof is of the log ${known.origin}, and the service shows ${log.origin}.`,
        );
      // The newest checkpoint was read before the proofs, so a proof may already be for a later tree.
      if (view.seen.includes(known) && known.size > newest.size)
        throw new ProofFailed(`The log has lost entries: it had ${known.size}, and shows ${newest.size}.`);
      await checkConsistent(sha256, read, known, newest);
    }
    await checkFollowed(view);
    const last = checkpoints.reduce((latest, one) => (one.size > latest.size ? one : latest), newest);
    return {
      origin: log.origin,
      size: last.size,
      checkpoint: last.note,
      signers: last.signers,
      follows: log.follows === undefined ? undefined : originOf(log.follows),
      verifiers: view.verifierKeys,
      known: entries.filter(({ origin }) => origin === log.origin),
    };
  }
}

/** The newest checkpoint. Witnesses cosign shortly after the log signs, so it may have to be read again. */
const newestCosigned = async (
  read: ReadLog,
  keys: readonly Verifier[],
  witnesses: readonly Verifier[],
): Promise<Checkpoint> => {
  for (let tries = 1; ; tries += 1) {
    const newest = await openCheckpoint(new TextDecoder().decode(await read('checkpoint')), keys);
    const missing = witnesses.find(({ name }) => !newest.signers.includes(name));
    if (missing === undefined) return newest;
    if (tries === WITNESS_TRIES)
      throw new ProofFailed(`The witness ${missing.name} has not cosigned the checkpoint.`);
    await pause(WITNESS_MS);
  }
};

/**
 * The entries to keep after a statement. Its last entry commits to all earlier ones, so only this entry must be kept.
 * If the statement lacks a known entry of its time, the service shows the owner two different histories.
 */
const stillKnown = (
  known: readonly KnownEntry[],
  shown: readonly KnownEntry[],
  {
    owner,
    origin,
    from,
    to,
  }: { readonly owner: string; readonly origin: string; readonly from?: string; readonly to: string },
): KnownEntry[] => {
  const leaves = new Map(shown.map(({ leafIndex, leaf }) => [leafIndex, leaf]));
  const isOfTime = ({ at }: KnownEntry): boolean =>
    (from === undefined || new Date(at) >= new Date(from)) && new Date(at) < new Date(to);
  const covered = known.filter((one) => one.owner === owner && one.origin === origin && isOfTime(one));
  const lost = covered.find(({ leafIndex, leaf }) => leaves.get(leafIndex) !== leaf);
  if (lost !== undefined)
    throw new ProofFailed(
      `The statement lacks an entry of ${lost.at} that was proven to you before: the service shows two histories.`,
    );
  return [...known.filter((one) => !covered.includes(one)), ...shown.slice(-1)];
};

/**
 * Checks how the log follows the previous log. Its first leaf names the last checkpoint of that log, so nobody can
 * change this later. It names only the previous log. So a reader who missed a log can't verify that nothing was lost in
 * between.
 */
const checkFollowed = async ({ log, read, newest, sha256, seenElsewhere }: View): Promise<void> => {
  const { follows } = log;
  const isOfOther = (note: string): boolean => follows === undefined || originOf(note) !== originOf(follows);
  const other = seenElsewhere.find(isOfOther);
  if (other !== undefined)
    throw new ProofFailed(`The service does not show how its log follows the log ${originOf(other)}.`);
  if (follows === undefined) return;
  const root = await entryLeafHash(sha256, NO_SALT, { kind: 'restart', checkpoint: follows });
  // The root of a tree of one leaf is the hash of the leaf.
  if (!(await isPart(sha256, read, { size: 1, root }, newest)))
    throw new ProofFailed('The first entry of the log does not name the log before it.');
  const isLost = (note: string): boolean =>
    sizeOf(note) > sizeOf(follows) || (sizeOf(note) === sizeOf(follows) && textOf(note) !== textOf(follows));
  if (seenElsewhere.some(isLost))
    throw new ProofFailed(
      'The log does not follow the last checkpoint that you have seen of the log before it.',
    );
};
