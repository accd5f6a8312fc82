import { createHash } from 'node:crypto';

import {
  EMPTY_ROOT,
  HASH_BYTES,
  IncompleteTile,
  type ReadTiles,
  TILE_WIDTH,
  consistencyProof,
  growTiles,
  inclusionPaths,
  leafHash,
  nodeHash,
  parseTilePath,
  rootOf,
} from './merkle-tree';

/** The leaves and roots of the reference tests of RFC 6962: google/certificate-transparency, merkle_tree_test.cc. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** Tiles as the tables store them. */
class Stored {
  readonly tiles = new Map<string, Buffer>();
  reads = 0;
  size = 0;

  readonly read: ReadTiles = (places) => {
    this.reads += 1;
    return Promise.resolve(
      places.flatMap(({ level, tile }) => {
        const hashes = this.tiles.get(`${level}/${tile}`);
        return hashes === undefined ? [] : [{ level, tile, hashes }];
      }),
    );
  };

  async grow(leaves: readonly Buffer[]): Promise<this> {
    for (const { level, tile, hashes } of await growTiles(this.read, this.size, leaves)) {
      const before = this.tiles.get(`${level}/${tile}`) ?? Buffer.alloc(0);
      this.tiles.set(`${level}/${tile}`, Buffer.concat([before, hashes]));
    }
    this.size += leaves.length;
    return this;
  }
}

const numbered = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, at) => leafHash(Buffer.from(String(at))));

/** The definition of RFC 6962 2.1, written literally. */
const plainRoot = (hashes: readonly Buffer[]): Buffer => {
  if (hashes.length < 2) return hashes[0] ?? EMPTY_ROOT;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return nodeHash(plainRoot(hashes.slice(0, split)), plainRoot(hashes.slice(split)));
};

const hex = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));

describe('the tree of the log', () => {
  it('has the roots of the reference tests of RFC 6962', async () => {
    const stored = await new Stored().grow(LEAVES.map((leaf) => leafHash(Buffer.from(leaf, 'hex'))));

    expect(hex(await Promise.all(ROOTS.map((_, at) => rootOf(stored.read, at + 1))))).toEqual(ROOTS);
    expect(EMPTY_ROOT).toEqual(createHash('sha256').digest());
  });

  it('has the paths and the proofs of the reference tests of RFC 6962', async () => {
    const { read } = await new Stored().grow(LEAVES.map((leaf) => leafHash(Buffer.from(leaf, 'hex'))));
    const [first = [], sixth = []] = await inclusionPaths(read, [0, 5], 8);

    expect(hex(first)).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(hex(sixth)).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(hex(await consistencyProof(read, 6, 8))).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });

  it.each([[1], [7], [256], [300], [65_536 + 255]])(
    'grows by %i leaves at a time to the same tiles',
    async (step) => {
      const leaves = numbered(66_100);
      const stored = new Stored();
      for (let at = 0; at < leaves.length; at += step) {
        await stored.grow(leaves.slice(at, at + step));
        if (step === 1 && at > 1_000) break;
      }
      const { size } = stored;

      expect(await rootOf(stored.read, size)).toEqual(plainRoot(leaves.slice(0, size)));
      const counts = [0, 1, 2].map((level) =>
        [...stored.tiles]
          .filter(([key]) => key.startsWith(`${level}/`))
          .reduce((sum, [, hashes]) => sum + hashes.length, 0),
      );
      expect(counts).toEqual([0, 1, 2].map((level) => Math.floor(size / TILE_WIDTH ** level) * HASH_BYTES));
    },
  );

  it('gives older roots out of longer tiles, and reads all that a question needs at once', async () => {
    const leaves = numbered(70_000);
    const stored = await new Stored().grow(leaves);
    stored.reads = 0;

    expect(await rootOf(stored.read, 66_001)).toEqual(plainRoot(leaves.slice(0, 66_001)));
    expect(stored.reads).toBe(1);
  });

  it('refuses to compute from a tile that has lost hashes', async () => {
    const stored = await new Stored().grow(numbered(300));
    stored.tiles.set('0/1', stored.tiles.get('0/1')!.subarray(HASH_BYTES));

    await expect(rootOf(stored.read, 300)).rejects.toThrow(IncompleteTile);
  });

  it.each([
    ['000', { tile: 0, width: 256 }],
    ['067.p/112', { tile: 67, width: 112 }],
    ['x001/x234/067', { tile: 1_234_067, width: 256 }],
    ['x001/x234/067.p/1', { tile: 1_234_067, width: 1 }],
  ])('is asked for the tile %s', (path, place) => {
    expect(parseTilePath(path)).toEqual(place);
  });

  it.each([
    '',
    '0',
    '0000',
    'x001',
    'x000/067',
    '001/234',
    '067.p/0',
    '067.p/256',
    '067.p/01',
    '067.p',
    '-01',
    'x1/067',
  ])('has no tile %j', (path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });
});
