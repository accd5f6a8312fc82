import sharp from 'sharp';

import { BadMedia, UnsupportedMedia } from './media.errors';
import { probeSeconds } from './video-probe';

const PIXELS_MAX = 64_000_000;
/** All pictures of an animation together. */
const ANIMATION_PIXELS_MAX = 1_000_000_000;
const DECODE_SECONDS_MAX = 10;

/** Decodes an image once: the header tells the size before anybody pays for the pixels. */
export const proveImage = async (param: string, bytes: Buffer): Promise<void> => {
  const unreadable = (): UnsupportedMedia => new UnsupportedMedia(param, 'can not be read as an image');
  // The cap is looked at by us first, so that an image that is too large isn't called broken.
  const {
    width,
    height,
    pages = 1,
  } = await sharp(bytes, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch(() => {
      throw unreadable();
    });
  if (width * height > PIXELS_MAX || width * height * pages > ANIMATION_PIXELS_MAX) {
    throw new BadMedia(param, 'is larger than 64 megapixels');
  }
  try {
    await sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'error' })
      .timeout({ seconds: DECODE_SECONDS_MAX })
      .resize(8, 8)
      .raw()
      .toBuffer();
  } catch {
    throw unreadable();
  }
};

/** How many seconds a video lasts; what has no picture track is none. */
export const proveVideo = async (param: string, path: string): Promise<number> => {
  const seconds = await probeSeconds(path);
  if (!(seconds > 0)) throw new UnsupportedMedia(param, 'can not be read as a video');
  return seconds;
};
