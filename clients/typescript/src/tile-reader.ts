import { ProofFailed, type Checkpoint } from './checkpoint.ts';
import { type Sha256, GrowingTree, isConsistent, leafHash, nodeHash, sameBytes } from './tree.ts';

const TILE_LEVELS = 8;
const TILE_WIDTH = 256;
const HASH_BYTES = 32;
/** The number of tiles that are requested at once. */
const AT_ONCE = 8;

/** Reads one resource below the address of a log, such as `tile/0/000`. */
export type ReadLog = (path: string) => Promise<Uint8Array<ArrayBuffer>>;

const tilePath = (tile: number, width: number): string => {
  const digits = String(tile);
  const parts = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const last = parts.pop() ?? '';
  return `${parts.map((part) => `x${part}/`).join('')}${last}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
};

const splitOf = (count: number): number => 2 ** (Math.ceil(Math.log2(count)) - 1);

/** The tree of a checkpoint, read tile by tile. */
class TiledTree {
  private readonly tiles = new Map<string, Promise<Uint8Array>>();

  constructor(
    private readonly read: ReadLog,
    private readonly sha256: Sha256,
    private readonly size: number,
  ) {}

  /** `SUBPROOF(old, D[from:to], isWhole)` of RFC 6962 2.1.2. */
  async consistency(old: number, from = 0, to = this.size, isWhole = true): Promise<Uint8Array[]> {
    if (old === to) return isWhole ? [] : [await this.range(from, to)];
    const middle = from + splitOf(to - from);
    return old <= middle
      ? [...(await this.consistency(old, from, middle, isWhole)), await this.range(middle, to)]
      : [...(await this.consistency(old, middle, to, false)), await this.range(from, middle)];
  }

  private async range(from: number, to: number): Promise<Uint8Array> {
    const count = to - from;
    const height = Math.round(Math.log2(count));
    if (2 ** height === count && from % count === 0) return this.hash(height, from / count);
    const middle = from + splitOf(count);
    return nodeHash(this.sha256, await this.range(from, middle), await this.range(middle, to));
  }

  private async hash(height: number, at: number): Promise<Uint8Array> {
    const inTile = height % TILE_LEVELS;
    if (inTile > 0)
      return nodeHash(
        this.sha256,
        await this.hash(height - 1, 2 * at),
        await this.hash(height - 1, 2 * at + 1),
      );
    const tile = await this.tile(height / TILE_LEVELS, Math.floor(at / TILE_WIDTH));
    const start = (at % TILE_WIDTH) * HASH_BYTES;
    return tile.slice(start, start + HASH_BYTES);
  }

  private tile(level: number, tile: number): Promise<Uint8Array> {
    const key = `${level}/${tile}`;
    const known = this.tiles.get(key);
    if (known !== undefined) return known;
    const width = Math.min(TILE_WIDTH, Math.floor(this.size / TILE_WIDTH ** level) - tile * TILE_WIDTH);
    const read = this.read(`tile/${level}/${tilePath(tile, width)}`).then((bytes) => {
      if (bytes.length !== width * HASH_BYTES)
        throw new ProofFailed('A tile of the log has the wrong length.');
      return bytes;
    });
    this.tiles.set(key, read);
    return read;
  }
}

/** The size of a tree, and its root. */
interface Tree {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether a tree begins with an older tree, by the tiles of the log. */
export const isPart = async (sha256: Sha256, read: ReadLog, old: Tree, now: Tree): Promise<boolean> => {
  const isProven = old.size > 0 && old.size < now.size;
  const proof = isProven ? await new TiledTree(read, sha256, now.size).consistency(old.size) : [];
  return isConsistent(sha256, old, now, proof);
};

/** Checks that one of two checkpoints of a log begins with the tree of the other one. */
export const checkConsistent = async (
  sha256: Sha256,
  read: ReadLog,
  one: Checkpoint,
  other: Checkpoint,
): Promise<void> => {
  const [old, now] = one.size <= other.size ? [one, other] : [other, one];
  if (!(await isPart(sha256, read, old, now)))
    throw new ProofFailed(
      `The log ${now.origin} shows two histories: its checkpoints of ${old.size} and of ${now.size} entries do not fit.`,
    );
};

/**
 * Reads all entries of a log, and checks that they make the tree of the checkpoint and the trees of older checkpoints.
 * Tiles that the service shows beside the entries must agree with them.
 */
export const checkWholeLog = async (
  sha256: Sha256,
  read: ReadLog,
  checkpoint: Checkpoint,
  seen: readonly Checkpoint[],
  onProgress?: (size: number) => void,
): Promise<void> => {
  const tree = new GrowingTree(sha256);
  const older = seen.filter(({ size }) => size <= checkpoint.size).toSorted((a, b) => a.size - b.size);
  const bundle = async (tile: number) => {
    const width = Math.min(TILE_WIDTH, checkpoint.size - tile * TILE_WIDTH);
    const path = tilePath(tile, width);
    const [entries, hashes] = await Promise.all([read(`tile/entries/${path}`), read(`tile/0/${path}`)]);
    return { entries, hashes, width };
  };
  const count = Math.ceil(checkpoint.size / TILE_WIDTH);
  const ahead: ReturnType<typeof bundle>[] = [];
  const passed = async (): Promise<void> => {
    while (older[0]?.size === tree.size) {
      if (!sameBytes(older.shift()!.root, await tree.root()))
        throw new ProofFailed(`The log has another history than it had with ${tree.size} entries.`);
    }
  };
  await passed();
  for (let tile = 0; tile < count; tile += 1) {
    while (ahead.length < AT_ONCE && tile + ahead.length < count) {
      const next = bundle(tile + ahead.length);
      // The loop awaits this promise later, so until then it must not become an unhandled rejection.
      next.catch(() => undefined);
      ahead.push(next);
    }
    const { entries, hashes, width } = await ahead.shift()!;
    let at = 0;
    for (let place = 0; place < width; place += 1) {
      const length = (entries[at] ?? 0) * 256 + (entries[at + 1] ?? 0);
      const made = leafHash(sha256, entries.slice(at + 2, at + 2 + length));
      const leaf = made instanceof Uint8Array ? made : await made;
      at += 2 + length;
      if (!sameBytes(leaf, hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)))
        throw new ProofFailed(`The entry ${tree.size} of the log is not what its tile says.`);
      const added = tree.add(leaf);
      if (added !== undefined) await added;
      if (older[0]?.size === tree.size) await passed();
    }
    if (at !== entries.length || hashes.length !== width * HASH_BYTES)
      throw new ProofFailed('A bundle of entries has the wrong length.');
    onProgress?.(tree.size);
  }
  if (!sameBytes(await tree.root(), checkpoint.root))
    throw new ProofFailed('The entries of the log do not make the tree of its checkpoint.');
};
