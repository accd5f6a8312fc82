import type { Guest } from '#kernel/slots';
import { probeFilm } from './film-probe';
import { ImageTooLarge, UnreadableImage, measureImage, proveDecodable } from './image-decoding';
import type { MediaKind } from './media-kind';
import { BadMedia, UnsupportedMedia } from './media.errors';

const SOURCE_PROBE_MS_MAX = 10_000;
/** The limit is long, because a result may be ten times as large as a caller's medium. */
const RESULT_PROBE_MS_MAX = 30_000;

/** The work has failed, because the provider's result is not a medium of the requested kind, or is less than sold. */
export class NoMedium extends Error {}

/** A whole result with less than was sold. The provider bills it. */
export class LessThanSold extends NoMedium {}

/** The least that a result must have. An absent value is not checked. */
export interface LeastResult {
  readonly seconds?: number;
  readonly pixels?: number;
}

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
    if (error instanceof UnreadableImage) throw new UnsupportedMedia(param, 'cannot be read as an image');
    throw error;
  }
};

/** The duration of a caller's video in seconds. A file without a complete picture track is no video. */
export const proveVideo = async (param: string, path: string, owner: string | Guest): Promise<number> => {
  const film = await probeFilm(path, owner, SOURCE_PROBE_MS_MAX);
  if (film === undefined || !film.whole || !(film.seconds > 0))
    throw new UnsupportedMedia(param, 'cannot be read as a video');
  return film.seconds;
};

const refuseLess = (measured: Required<LeastResult>, least: LeastResult): void => {
  for (const what of ['seconds', 'pixels'] as const) {
    if (measured[what] < (least[what] ?? 0))
      throw new LessThanSold(`The result has ${measured[what]} ${what}, which is less than sold.`);
  }
};

/**
 * Accepts a provider's result only if it can be decoded in time and has what was sold. Returns the perceptual hash of
 * an image. The pixels of a film are those that its container names.
 */
export const proveResult = async (
  kind: MediaKind,
  path: string,
  owner: string,
  least: LeastResult = {},
): Promise<bigint | undefined> => {
  if (kind === 'image') {
    const { hash, pixels } = await measureImage(path, owner).catch((error: unknown) => {
      const verdict = error instanceof UnreadableImage || error instanceof ImageTooLarge;
      throw verdict ? new NoMedium('The result is no image that can be decoded.', { cause: error }) : error;
    });
    refuseLess({ seconds: 0, pixels }, { pixels: least.pixels });
    return hash;
  }
  const film = await probeFilm(path, owner, RESULT_PROBE_MS_MAX);
  if (film === undefined || !film.whole || !(film.seconds > 0))
    throw new NoMedium('The result is no film that can be played.');
  refuseLess(film, least);
  return undefined;
};
