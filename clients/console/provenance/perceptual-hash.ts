/**
 * The perceptual hash of a picture, by the same rules as in the service. The page computes it, so the picture need not
 * leave the device.
 */

const SIDE = 32;
/** The size of the copy of the picture that this code reads: a multiple of the hashed size. */
const COPY_SIDE = 512;
const BITS = 64;
/** If the grey values deviate less than this, the picture has almost no contrast, and its hash would be noise. */
const DEVIATION_MIN = 2;

/** The 64 lowest frequencies without the mean, in the diagonal order of JPEG. */
const FREQUENCIES = Array.from({ length: 16 }, (_, sum) =>
  Array.from({ length: sum + 1 }, (__, down): [number, number] => [down, sum - down]),
)
  .flat()
  .slice(1, BITS + 1);

const cosine = (frequency: number, at: number): number =>
  Math.cos((Math.PI * frequency * (2 * at + 1)) / (2 * SIDE));

const hashOf = (grey: readonly number[]): string | undefined => {
  const mean = grey.reduce((sum, value) => sum + value, 0) / grey.length;
  const variance = grey.reduce((sum, value) => sum + (value - mean) ** 2, 0) / grey.length;
  if (Math.sqrt(variance) < DEVIATION_MIN) return undefined;
  const values = FREQUENCIES.map(([down, across]) =>
    grey.reduce(
      (sum, value, at) => sum + value * cosine(across, at % SIDE) * cosine(down, Math.floor(at / SIDE)),
      0,
    ),
  );
  const median = values.toSorted((a, b) => a - b)[BITS / 2] ?? 0;
  const bits = values.map((value) => (value > median ? '1' : '0')).join('');
  return BigInt(`0b${bits}`)
    .toString(16)
    .padStart(BITS / 4, '0');
};

/** Converts sRGB values to linear light and back, because the service also computes grey values from light. */
const LIGHT = Array.from({ length: 256 }, (_, value) =>
  value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
);
const valueOf = (light: number): number =>
  255 * (light <= 0.003_130_8 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);

/**
 * The average grey of each of 32 by 32 equal parts. A canvas would skip pixels if it shrank the picture to this size.
 */
const greyOf = (pixels: Uint8ClampedArray): number[] => {
  const light = (at: number): number => LIGHT[pixels[at] ?? 0] ?? 0;
  const sums = Array.from({ length: SIDE * SIDE }, () => 0);
  const width = COPY_SIDE / SIDE;
  for (let at = 0; at < COPY_SIDE * COPY_SIDE; at += 1) {
    const part = Math.floor(at / COPY_SIDE / width) * SIDE + Math.floor((at % COPY_SIDE) / width);
    const grey = 0.2126 * light(at * 4) + 0.7152 * light(at * 4 + 1) + 0.0722 * light(at * 4 + 2);
    sums[part] = (sums[part] ?? 0) + valueOf(grey);
  }
  return sums.map((sum) => Math.round(sum / width ** 2));
};

/** The hash in hex. Undefined for a picture with almost no contrast, and for a file that this browser can't read. */
export const perceptualHashOf = async (file: Blob): Promise<string | undefined> => {
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) return undefined;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [COPY_SIDE, COPY_SIDE];
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, COPY_SIDE, COPY_SIDE);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, COPY_SIDE, COPY_SIDE);
  picture.close();
  return hashOf(greyOf(context.getImageData(0, 0, COPY_SIDE, COPY_SIDE).data));
};
