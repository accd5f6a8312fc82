/** The hash is computed from a picture with this many grey values on each side. */
export const HASH_SIDE = 32;
const BITS = 64;
/** If the grey values deviate less than this, the picture has almost no contrast, and its hash would be noise. */
const DEVIATION_MIN = 2;

/** The 64 lowest frequencies without the mean, in the diagonal order of JPEG. */
const FREQUENCIES: readonly (readonly [number, number])[] = Array.from({ length: 16 }, (_, sum) =>
  Array.from({ length: sum + 1 }, (__, row): [number, number] => [row, sum - row]),
)
  .flat()
  .slice(1, BITS + 1);

const COSINES = Array.from({ length: HASH_SIDE }, (_, frequency) =>
  Array.from({ length: HASH_SIDE }, (__, at) =>
    Math.cos((Math.PI * frequency * (2 * at + 1)) / (2 * HASH_SIDE)),
  ),
);

const deviationOf = (grey: Uint8Array): number => {
  const mean = grey.reduce((sum, value) => sum + value, 0) / grey.length;
  return Math.sqrt(grey.reduce((sum, value) => sum + (value - mean) ** 2, 0) / grey.length);
};

/**
 * 64 bits that hardly change when a picture is resized or compressed again. Each bit says whether a low frequency of
 * the cosine transform is above the median. Undefined for a picture with almost no contrast.
 */
export const perceptualHash = (grey: Uint8Array): bigint | undefined => {
  if (grey.length !== HASH_SIDE * HASH_SIDE || deviationOf(grey) < DEVIATION_MIN) return undefined;
  const rows = Array.from({ length: HASH_SIDE }, (_, y) =>
    COSINES.slice(0, 16).map((cosines) =>
      cosines.reduce((sum, cosine, x) => sum + cosine * grey[y * HASH_SIDE + x]!, 0),
    ),
  );
  const values = FREQUENCIES.map(([down, across]) =>
    COSINES[down]!.reduce((sum, cosine, y) => sum + cosine * rows[y]![across]!, 0),
  );
  const median = values.toSorted((a, b) => a - b)[BITS / 2]!;
  return values.reduce((hash, value) => (hash << 1n) | (value > median ? 1n : 0n), 0n);
};

export const hashToHex = (hash: bigint): string => hash.toString(16).padStart(BITS / 4, '0');

/** The most bits in which two versions of one picture may differ. Unrelated pictures differ in about 32. */
export const DISTANCE_MAX = 7;
const BANDS = 4;
const BAND_BITS = BITS / BANDS;

/**
 * For each of the four parts of a hash, all values that differ from it in at most one bit. If two hashes differ in at
 * most seven bits, at least one part differs in at most one bit.
 */
export const nearBands = (hash: bigint): number[] =>
  Array.from({ length: BANDS }, (_, band) => {
    const value = Number((hash >> BigInt(band * BAND_BITS)) & 0xffffn);
    const flipped = Array.from({ length: BAND_BITS }, (__, bit) => value ^ (1 << bit));
    return [value, ...flipped].map((near) => band * 65_536 + near);
  }).flat();
