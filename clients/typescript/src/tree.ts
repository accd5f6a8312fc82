/** SHA-256. A program that checks many leaves should pass a synchronous function, such as that of `node:crypto`. */
export type Sha256 = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>;

/** @internal */
export const webSha256: Sha256 = async (bytes) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));

/** @internal */
export const concat = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** @internal */
export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The hash of a leaf (RFC 6962 2.1). @internal */
export const leafHash = (sha256: Sha256, entry: Uint8Array): Uint8Array | Promise<Uint8Array> =>
  sha256(concat(LEAF, entry));

/** @internal */
export const nodeHash = (
  sha256: Sha256,
  left: Uint8Array,
  right: Uint8Array,
): Uint8Array | Promise<Uint8Array> => sha256(concat(NODE, left, right));

/** The root that an inclusion path leads to (RFC 9162 2.1.3.2). Undefined if its length does not fit the tree. @internal */
export const rootByPath = async (
  sha256: Sha256,
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Promise<Uint8Array | undefined> => {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size)
    return undefined;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const step of path) {
    if (last === 0) return undefined;
    if (at % 2 === 1 || at === last) {
      hash = await nodeHash(sha256, step, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else hash = await nodeHash(sha256, hash, step);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : undefined;
};

/** Whether the tree of `size` begins with that of `old` (RFC 9162 2.1.4.2). @internal */
export const isConsistent = async (
  sha256: Sha256,
  old: { readonly size: number; readonly root: Uint8Array },
  now: { readonly size: number; readonly root: Uint8Array },
  proof: readonly Uint8Array[],
): Promise<boolean> => {
  if (old.size > now.size || old.size < 0) return false;
  if (old.size === now.size) return proof.length === 0 && sameBytes(old.root, now.root);
  if (old.size === 0) return proof.length === 0;
  const isWhole = Number.isInteger(Math.log2(old.size)) && 2 ** Math.round(Math.log2(old.size)) === old.size;
  const [first, ...rest] = isWhole ? [old.root, ...proof] : proof;
  if (first === undefined) return false;
  let [at, last] = [old.size - 1, now.size - 1];
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  let [before, after] = [first, first];
  for (const step of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      before = await nodeHash(sha256, step, before);
      after = await nodeHash(sha256, step, after);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else after = await nodeHash(sha256, after, step);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && sameBytes(before, old.root) && sameBytes(after, now.root);
};

/** A tree that grows leaf by leaf. It keeps one hash for each complete subtree. @internal */
export class GrowingTree {
  size = 0;
  private readonly peaks: { readonly height: number; readonly hash: Uint8Array }[] = [];

  constructor(private readonly sha256: Sha256) {}

  /**
   * Adds a leaf. It returns a promise only if the hash function does, because a million promises would cost more than
   * the hashes.
   */
  add(leaf: Uint8Array): Promise<void> | undefined {
    this.size += 1;
    return this.push(leaf, 0);
  }

  private push(leaf: Uint8Array, from: number): Promise<void> | undefined {
    let [height, hash] = [from, leaf];
    while (this.peaks.at(-1)?.height === height) {
      const made = nodeHash(this.sha256, this.peaks.pop()!.hash, hash);
      height += 1;
      if (!(made instanceof Uint8Array)) return made.then((node) => this.push(node, height));
      hash = made;
    }
    this.peaks.push({ height, hash });
    return undefined;
  }

  async root(): Promise<Uint8Array> {
    const [last, ...rest] = this.peaks.map(({ hash }) => hash).reverse();
    let root = last ?? (await this.sha256(new Uint8Array()));
    for (const peak of rest) root = await nodeHash(this.sha256, peak, root);
    return root;
  }
}
