import { hash } from 'node:crypto';
import { getOrMake } from '#kernel/maps';

/** A tile has the hashes of eight levels of the tree, as in C2SP tlog-tiles. */
const TILE_LEVELS = 8;
export const TILE_WIDTH = 256;
export const HASH_BYTES = 32;

/** Hashes in one call without an object, because a tree has millions of hashes. */
const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

const LEAF = Buffer.from([0]);

/** The hash of a leaf, by RFC 6962 2.1. */
export const leafHash = (entry: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, entry]));

/** A shared buffer for a prefix and two hashes. `nodeHash` fills and hashes the buffer without an await in between. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => {
  node.set(left, 1);
  node.set(right, 1 + HASH_BYTES);
  return sha256(node);
};

/** The root of a tree without leaves. */
export const EMPTY_ROOT = sha256(new Uint8Array());

/** A tile by its level and its number within that level. */
interface TileAddress {
  readonly level: number;
  readonly tile: number;
}

/** Returns the hashes of a tile. It may return more hashes than the tree in question has. */
export type ReadTiles = (
  tiles: readonly TileAddress[],
) => Promise<readonly (TileAddress & { hashes: Buffer })[]>;

/** The largest power of two below `count`. */
const splitOf = (count: number): number => 2 ** (Math.ceil(Math.log2(count)) - 1);

const isPowerOfTwo = (count: number): boolean => 2 ** Math.round(Math.log2(count)) === count;

const subtreeOf = (hashes: Buffer): Buffer => {
  if (hashes.length === HASH_BYTES) return hashes;
  const half = hashes.length / 2;
  return nodeHash(subtreeOf(hashes.subarray(0, half)), subtreeOf(hashes.subarray(half)));
};

/** A tile is shorter than the size of the tree requires, so somebody has changed the tables. */
export class IncompleteTile extends Error {}

/** Reads the tiles for one proof. The first pass only collects their addresses; then one read returns all of them. */
class Tiles {
  private readonly known = new Map<string, Buffer>();
  private readonly wanted = new Map<string, TileAddress>();
  /** Caches inner hashes, so each is computed once for all leaves. */
  private readonly computed = new Map<string, Buffer>();
  private isCollecting = true;

  /** The hash of a complete subtree of `2 ** height` leaves: number `at` among the subtrees of this height. */
  hash(height: number, at: number): Buffer {
    const level = Math.floor(height / TILE_LEVELS);
    const inTile = height % TILE_LEVELS;
    const first = at * 2 ** inTile;
    const tile = Math.floor(first / TILE_WIDTH);
    const key = `${level}/${tile}`;
    if (this.isCollecting) {
      this.wanted.set(key, { level, tile });
      return EMPTY_ROOT;
    }
    if (inTile === 0) return this.stored(key, (first % TILE_WIDTH) * HASH_BYTES);
    return getOrMake(this.computed, `${height}:${at}`, () =>
      nodeHash(this.hash(height - 1, 2 * at), this.hash(height - 1, 2 * at + 1)),
    );
  }

  async load(read: ReadTiles): Promise<void> {
    this.isCollecting = false;
    if (this.wanted.size === 0) return;
    for (const { level, tile, hashes } of await read([...this.wanted.values()])) {
      this.known.set(`${level}/${tile}`, hashes);
    }
  }

  private stored(key: string, start: number): Buffer {
    const hash = this.known.get(key)?.subarray(start, start + HASH_BYTES);
    if (hash?.length !== HASH_BYTES) throw new IncompleteTile(`The tile ${key} lacks hashes of the tree.`);
    return hash;
  }
}

/** `MTH(D[from:to])` of RFC 6962 2.1. */
const rangeHash = (tiles: Tiles, from: number, to: number): Buffer => {
  const count = to - from;
  if (isPowerOfTwo(count) && from % count === 0)
    return tiles.hash(Math.round(Math.log2(count)), from / count);
  const middle = from + splitOf(count);
  return nodeHash(rangeHash(tiles, from, middle), rangeHash(tiles, middle, to));
};

const pathIn = (tiles: Tiles, leaf: number, from: number, to: number): Buffer[] => {
  if (to - from === 1) return [];
  const middle = from + splitOf(to - from);
  return leaf < middle
    ? [...pathIn(tiles, leaf, from, middle), rangeHash(tiles, middle, to)]
    : [...pathIn(tiles, leaf, middle, to), rangeHash(tiles, from, middle)];
};

/** `SUBPROOF(m, D[from:to], isWhole)` of RFC 6962 2.1.2. */
const subproof = (tiles: Tiles, old: number, from: number, to: number, isWhole: boolean): Buffer[] => {
  if (old === to) return isWhole ? [] : [rangeHash(tiles, from, to)];
  const middle = from + splitOf(to - from);
  return old <= middle
    ? [...subproof(tiles, old, from, middle, isWhole), rangeHash(tiles, middle, to)]
    : [...subproof(tiles, old, middle, to, false), rangeHash(tiles, from, middle)];
};

const withTiles = async <T>(read: ReadTiles, ask: (tiles: Tiles) => T): Promise<T> => {
  const tiles = new Tiles();
  ask(tiles);
  await tiles.load(read);
  return ask(tiles);
};

/** The root of the tree of the first `size` leaves. */
export const rootOf = async (read: ReadTiles, size: number): Promise<Buffer> =>
  size === 0 ? EMPTY_ROOT : withTiles(read, (tiles) => rangeHash(tiles, 0, size));

/**
 * The inclusion paths of leaves in the tree of `size`, in the order of the leaves. One read fetches the tiles of all
 * paths.
 */
export const inclusionPaths = (
  read: ReadTiles,
  leaves: readonly number[],
  size: number,
): Promise<Buffer[][]> => withTiles(read, (tiles) => leaves.map((leaf) => pathIn(tiles, leaf, 0, size)));

/** The proof that the tree of `size` begins with the leaves of the tree of `old`. */
export const consistencyProof = async (read: ReadTiles, old: number, size: number): Promise<Buffer[]> =>
  old === 0 || old === size ? [] : withTiles(read, (tiles) => subproof(tiles, old, 0, size, true));

/** New hashes that are appended to a tile. */
export interface TileGrowth extends TileAddress {
  readonly hashes: Buffer;
}

/**
 * The hashes that new leaves append to tiles of all levels. The function calls `read` for tiles that the leaves
 * complete and that have stored hashes.
 */
export const growTiles = async (
  read: ReadTiles,
  size: number,
  leaves: readonly Buffer[],
): Promise<TileGrowth[]> => {
  const growth: TileGrowth[] = [];
  let [first, added] = [size, leaves];
  for (let level = 0; added.length > 0; level += 1) {
    const next: Buffer[] = [];
    const nextFirst = Math.floor(first / TILE_WIDTH);
    for (let at = 0; at < added.length;) {
      const index = first + at;
      const tile = Math.floor(index / TILE_WIDTH);
      const hashes = Buffer.concat(added.slice(at, at + TILE_WIDTH - (index % TILE_WIDTH)));
      growth.push({ level, tile, hashes });
      at += hashes.length / HASH_BYTES;
      if ((first + at) % TILE_WIDTH !== 0) continue;
      const [before] = index % TILE_WIDTH === 0 ? [] : await read([{ level, tile }]);
      const stored = before?.hashes.subarray(0, (index % TILE_WIDTH) * HASH_BYTES) ?? Buffer.alloc(0);
      next.push(subtreeOf(Buffer.concat([stored, hashes])));
    }
    [first, added] = [nextFirst, next];
  }
  return growth;
};

/** Parses the end of a tile's path: `x001/x234/067`, and then `.p/112` if the tile is partial. */
export const parseTilePath = (path: string): { tile: number; width: number } | undefined => {
  const [, number = '', last = '', width] =
    /^((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path) ?? [];
  if (last === '' || number.startsWith('x000/')) return undefined;
  const tile = Number(`${number.replaceAll(/[x/]/g, '')}${last}`);
  const count = width === undefined ? TILE_WIDTH : Number(width);
  return Number.isSafeInteger(tile) && (width === undefined || count < TILE_WIDTH)
    ? { tile, width: count }
    : undefined;
};
