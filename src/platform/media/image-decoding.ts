import { join } from 'node:path';

import type { Metadata, Sharp } from 'sharp';

import { HASH_SIDE, perceptualHash } from '#kernel/perceptual-hash';
import { type Guest, Slots } from '#kernel/slots';
import { ChildPool } from '../threads/child-pool';
import { IMAGE_LOADERS } from './image-library';

const PIXELS_MAX = 64_000_000;
/** The most pixels of all frames of an animation together. */
const ANIMATION_PIXELS_MAX = 1_000_000_000;
/** 64 megapixels of three colours in 16 bits. */
const DECODED_BYTES_MAX = 384_000_000;
const DECODE_SECONDS_MAX = 10;
/** The memory for all images of callers without money. */
const GUESTS_BYTES_MAX = DECODED_BYTES_MAX / 4;
/** Every image counts at least this much memory, so at most four are decoded at a time. */
const WEIGHT_MIN = DECODED_BYTES_MAX / 4;

/** Only killing a process ends the work of a decoder for sure, and limits its memory. */
const decoders = new ChildPool(join(__dirname, 'image-decode.cjs'), {
  milliseconds: (DECODE_SECONDS_MAX + 5) * 1_000,
  heapMb: 128,
  memoryMb: 1_024,
});
/** The memory for decoding. */
const room = new Slots(DECODED_BYTES_MAX, { forGuests: GUESTS_BYTES_MAX });

/** The bytes are no image, or the image can't be decoded completely. */
export class UnreadableImage extends Error {}
/** The decoded image would need more pixels or memory than any image may. */
export class ImageTooLarge extends Error {}

/** The steps after decoding: methods of the image library with their arguments. */
export type ImageSteps = readonly (readonly [name: keyof Sharp, ...values: unknown[]])[];

export interface MadeImage {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 2 | 3 | 4;
  /** The pixels of the source. */
  readonly pixels: number;
}

type Header = Pick<
  Metadata,
  'width' | 'height' | 'pages' | 'channels' | 'depth' | 'format' | 'isProgressive'
>;

/** A child's answer. A child that ended or took too long has found a bad image. */
const inDecoder = async <Result>(
  source: Buffer | string,
  more: { readonly steps?: ImageSteps } = {},
): Promise<Result> => {
  const result = await decoders.run<Result | { readonly unreadable: string }>({
    source,
    ...more,
    library: require.resolve('sharp'),
    loaders: IMAGE_LOADERS,
    pixelsMax: PIXELS_MAX,
    seconds: DECODE_SECONDS_MAX,
  });
  if (result === undefined) throw new UnreadableImage('It took too much time or memory.');
  if (typeof result === 'object' && result !== null && 'unreadable' in result)
    throw new UnreadableImage(result.unreadable);
  return result;
};

const BYTES_PER_SAMPLE: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2 };

/** The most memory that decoding needs at a time. A progressive JPEG needs two bytes for each sample. */
const decodedBytes = ({ width, height, channels, depth, format, isProgressive }: Header): number => {
  const perSample = format === 'jpeg' && isProgressive ? 2 : (BYTES_PER_SAMPLE[depth] ?? 4);
  return width * height * channels * perSample;
};

/**
 * The only function that decodes images from outside. It reads the size from the header before it takes any memory.
 * Waiting images are decoded round-robin by owner.
 */
export const decodeImage = async (
  source: Buffer | string,
  owner: string | Guest,
  steps: ImageSteps,
): Promise<MadeImage> => {
  const about = await room.run(() => inDecoder<Header>(source), owner, WEIGHT_MIN);
  const { width, height, pages = 1 } = about;
  const bytes = decodedBytes(about);
  if (width * height > PIXELS_MAX || width * height * pages > ANIMATION_PIXELS_MAX)
    throw new ImageTooLarge('is larger than 64 megapixels');
  if (bytes > DECODED_BYTES_MAX) {
    throw new ImageTooLarge(
      `takes more than ${DECODED_BYTES_MAX / 1e6} MB once it is decoded; send 8 bits a colour`,
    );
  }
  const make = (): Promise<MadeImage> => inDecoder<MadeImage>(source, { steps });
  const made = await room.run(make, owner, Math.max(WEIGHT_MIN, bytes));
  return { ...made, data: Buffer.from(made.data), pixels: width * height };
};

export interface MeasuredImage {
  readonly pixels: number;
  /** The perceptual hash; absent for an image with almost no contrast. */
  readonly hash?: bigint;
}

/** Decodes the whole image, and measures it. A slow image counts as broken. */
export const measureImage = async (
  source: Buffer | string,
  owner: string | Guest,
): Promise<MeasuredImage> => {
  const { data, pixels } = await decodeImage(source, owner, [
    ['autoOrient'],
    ['flatten', { background: '#fff' }],
    ['resize', HASH_SIDE, HASH_SIDE, { fit: 'fill' }],
    ['greyscale'],
    ['raw'],
  ]);
  return { pixels, hash: perceptualHash(data) };
};

export const hashImage = async (
  source: Buffer | string,
  owner: string | Guest,
): Promise<bigint | undefined> => (await measureImage(source, owner)).hash;

/** Decodes the whole image, and keeps nothing. A slow image counts as broken. */
export const proveDecodable = (source: Buffer | string, owner: string | Guest): Promise<unknown> =>
  decodeImage(source, owner, [['resize', 8, 8], ['raw']]);
