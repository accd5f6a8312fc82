import { type Guest, TooMuchForGuests } from '../../kernel/slots';
import { probeFilm } from './film-probe';
import { ImageTooLarge, UnreadableImage, hashImage, proveDecodable } from './image-decoding';
import type { MediaKind } from './media-kind';
import { BadMedia, UnsupportedMedia } from './media.errors';

const SOURCE_PROBE_MS_MAX = 10_000;
/** The limit is long, because a result may be ten times as large as a caller's medium. */
const RESULT_PROBE_MS_MAX = 30_000;

/** The work has failed, because the provider's result is not a medium of the requested kind. */
export class NoMedium extends Error {}

/** Decodes a caller's whole image, to prove that it is valid. */
export const proveImage = async (
  param: string,
  source: Buffer | string,
  owner: string | Guest,
): Promise<void> => {
  try {
    await proveDecodable(source, owner);
  } catch (error) {
    if (error instanceof ImageTooLarge) throw new BadMedia(param, error.message);
    if (error instanceof TooMuchForGuests) throw error;
    throw new UnsupportedMedia(param, 'cannot be read as an image');
  }
};

/** The duration of a caller's video in seconds. A file without a complete picture track is no video. */
export const proveVideo = async (param: string, path: string, owner: string | Guest): Promise<number> => {
  const film = await probeFilm(path, owner, SOURCE_PROBE_MS_MAX);
  if (film === undefined || !film.whole || !(film.seconds > 0)) {
    throw new UnsupportedMedia(param, 'cannot be read as a video');
  }
  return film.seconds;
};

/** Accepts a provider's result only if it can be decoded in time. Returns the perceptual hash of an image. */
export const proveResult = async (
  kind: MediaKind,
  path: string,
  owner: string,
): Promise<bigint | undefined> => {
  if (kind === 'image') {
    return hashImage(path, owner).catch((error: unknown) => {
      const verdict = error instanceof UnreadableImage || error instanceof ImageTooLarge;
      throw verdict ? new NoMedium('The result is no image that can be decoded.', { cause: error }) : error;
    });
  }
  const film = await probeFilm(path, owner, RESULT_PROBE_MS_MAX);
  if (film === undefined || !film.whole || !(film.seconds > 0)) {
    throw new NoMedium('The result is no film that can be played.');
  }
  return undefined;
};
