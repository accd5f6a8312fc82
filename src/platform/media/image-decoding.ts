import type { Metadata, Sharp } from 'sharp';

import { HASH_SIDE, perceptualHash } from '../../kernel/perceptual-hash';
import { type Guest, Slots } from '../../kernel/slots';
import { sharp } from './image-library';

const PIXELS_MAX = 64_000_000;
/** The most pixels of all frames of an animation together. */
const ANIMATION_PIXELS_MAX = 1_000_000_000;
/** 64 megapixels of three colours in 16 bits. */
const DECODED_BYTES_MAX = 384_000_000;
const DECODE_SECONDS_MAX = 10;
/** The memory for all images of callers without money. */
const GUESTS_BYTES_MAX = DECODED_BYTES_MAX / 4;
/** Every image counts at least this much memory, so the process decodes at most eight at a time. */
const WEIGHT_MIN = DECODED_BYTES_MAX / 8;

/** The memory for decoding in this process. */
const room = new Slots(DECODED_BYTES_MAX, { forGuests: GUESTS_BYTES_MAX });

/** The bytes are no image, or the image can't be decoded completely. */
export class UnreadableImage extends Error {}
/** The decoded image would need more pixels or memory than any image may. */
export class ImageTooLarge extends Error {}

const BYTES_PER_SAMPLE: Readonly<Record<string, number>> = { uchar: 1, char: 1, ushort: 2, short: 2 };

/** The most memory that decoding needs at a time. A progressive JPEG needs two bytes for each sample. */
const decodedBytes = ({ width, height, channels, depth, format, isProgressive }: Metadata): number => {
  const perSample = format === 'jpeg' && isProgressive ? 2 : (BYTES_PER_SAMPLE[depth] ?? 4);
  return width * height * channels * perSample;
};

/** For empty input the library throws synchronously; for other invalid input it rejects. */
const headerOf = async (source: Buffer | string): Promise<Metadata> => {
  try {
    return await sharp(source, { limitInputPixels: false, failOn: 'error' }).metadata();
  } catch (error) {
    throw new UnreadableImage('Its header cannot be read.', { cause: error });
  }
};

/**
 * The only function that decodes images from outside. It reads the size from the header before it takes any memory.
 * Waiting images are decoded round-robin by owner.
 */
export const decodeImage = async <T>(
  source: Buffer | string,
  owner: string | Guest,
  read: (image: Sharp, pixels: number) => Promise<T>,
): Promise<T> => {
  const about = await room.run(() => headerOf(source), owner, WEIGHT_MIN);
  const { width, height, pages = 1 } = about;
  const bytes = decodedBytes(about);
  if (width * height > PIXELS_MAX || width * height * pages > ANIMATION_PIXELS_MAX) {
    throw new ImageTooLarge('is larger than 64 megapixels');
  }
  if (bytes > DECODED_BYTES_MAX) {
    throw new ImageTooLarge(
      `takes more than ${DECODED_BYTES_MAX / 1e6} MB once it is decoded; send 8 bits a colour`,
    );
  }
  const decode = (): Promise<T> => {
    const image = sharp(source, { limitInputPixels: PIXELS_MAX, failOn: 'error' });
    return read(image.timeout({ seconds: DECODE_SECONDS_MAX }), width * height);
  };
  return room.run(decode, owner, Math.max(WEIGHT_MIN, bytes));
};

export interface MeasuredImage {
  readonly pixels: number;
  /** The perceptual hash; absent for an image with almost no contrast. */
  readonly hash?: bigint;
}

/** Decodes the whole image, and measures it. A slow image counts as broken. */
export const measureImage = (source: Buffer | string, owner: string | Guest): Promise<MeasuredImage> =>
  decodeImage(source, owner, async (image, pixels) => {
    try {
      const small = image.autoOrient().flatten({ background: '#fff' });
      const grey = await small.resize(HASH_SIDE, HASH_SIDE, { fit: 'fill' }).greyscale().raw().toBuffer();
      return { pixels, hash: perceptualHash(grey) };
    } catch (error) {
      throw new UnreadableImage('It cannot be decoded.', { cause: error });
    }
  });

export const hashImage = async (
  source: Buffer | string,
  owner: string | Guest,
): Promise<bigint | undefined> => (await measureImage(source, owner)).hash;

/** Decodes the whole image, and keeps nothing. A slow image counts as broken. */
export const proveDecodable = (source: Buffer | string, owner: string | Guest): Promise<unknown> =>
  decodeImage(source, owner, async (image) => {
    try {
      return await image.resize(8, 8).raw().toBuffer();
    } catch (error) {
      throw new UnreadableImage('It cannot be decoded.', { cause: error });
    }
  });
