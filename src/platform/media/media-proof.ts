import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny';
import sharp from 'sharp';

import { BadMedia, UnsupportedMedia } from './media.errors';

const PIXELS_MAX = 64_000_000;
/** All pictures of an animation together. */
const ANIMATION_PIXELS_MAX = 1_000_000_000;
const PROBE_MS_MAX = 10_000;

/** Decodes an image once: the header tells the size before anybody pays for the pixels. */
export const proveImage = async (param: string, bytes: Buffer): Promise<void> => {
  // The cap is looked at by us first, so that an image that is too large isn't called broken.
  const {
    width,
    height,
    pages = 1,
  } = await sharp(bytes, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch(() => {
      throw unreadable(param, 'image');
    });
  if (width * height > PIXELS_MAX || width * height * pages > ANIMATION_PIXELS_MAX) {
    throw new BadMedia(param, 'is larger than 64 megapixels');
  }
  try {
    await sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'error' }).resize(8, 8).raw().toBuffer();
  } catch {
    throw unreadable(param, 'image');
  }
};

/** How many seconds a video lasts; what has no picture track is none. */
export const proveVideo = async (param: string, path: string): Promise<number> => {
  const input = new Input({
    source: new FilePathSource(path, { handleUnhandledError: () => undefined }),
    formats: ALL_FORMATS,
  });
  try {
    return await within(PROBE_MS_MAX, async () => {
      const track = await input.getPrimaryVideoTrack();
      const seconds = track === null ? 0 : await track.computeDuration();
      if (!(seconds > 0)) throw new RangeError('no pictures');
      return seconds;
    });
  } catch {
    throw unreadable(param, 'video');
  } finally {
    input.dispose();
  }
};

const unreadable = (param: string, kind: string): UnsupportedMedia =>
  new UnsupportedMedia(param, `can not be read as ${kind === 'image' ? 'an image' : 'a video'}`);

const within = async <T>(milliseconds: number, work: () => Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('too slow')), milliseconds);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
};
