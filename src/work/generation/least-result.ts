import type { MediaOptions } from '#models/catalog/media-price-calculator';
import type { LeastResult } from '#platform/media/media-proof';
import { type MediaMode, kindOf } from '#models/providers/media-mode';

/** Vendors count frames, so a film may be shorter than sold by the larger of these two. No step of a ladder is so small. */
const SECONDS_SHORT = 0.5;
const SECONDS_SHARE = 0.9;
/** Vendors round the edges of a named size to multiples of 16 or 32. */
const SIZE_SHARE = 0.9;
/** Vendors read a tier differently, but the next smaller tier of every ladder has less than half of the pixels. */
const TIER_SHARE = 0.5;

const RATIO_DEFAULT = 16 / 9;

/** These modes work from a picture or a clip, whose size the result has. */
const SIZED_BY_SOURCE: ReadonlySet<MediaMode> = new Set<MediaMode>(['i2i', 'swap', 'motion']);

const numbersIn = (pattern: RegExp, text = ''): readonly number[] =>
  (pattern.exec(text) ?? []).slice(1).map(Number);

/** The longer edge divided by the shorter one. */
const ratioOf = (aspectRatio: string | undefined): number | undefined => {
  const [across, down] = numbersIn(/^(\d{1,3}):(\d{1,3})$/, aspectRatio);
  return across && down ? Math.max(across, down) / Math.min(across, down) : undefined;
};

/** `720p` names the shorter edge, and `2K` the longer one: 1024 pixels for each K of a picture, 960 for those of a film. */
const pixelsOfTier = (mode: MediaMode, { resolution, aspectRatio }: MediaOptions): number | undefined => {
  const ratio = ratioOf(aspectRatio);
  const [lines] = numbersIn(/^(\d{3,4})p$/, resolution);
  if (lines !== undefined) return lines * lines * (ratio ?? 1);
  const [thousands] = numbersIn(/^(\d(?:\.\d)?)K$/i, resolution);
  if (thousands === undefined) return undefined;
  const edge = thousands * (kindOf(mode) === 'image' ? 1_024 : 960);
  return (edge * edge) / (ratio ?? RATIO_DEFAULT);
};

const pixelsOf = (mode: MediaMode, options: MediaOptions): number | undefined => {
  if (SIZED_BY_SOURCE.has(mode)) return undefined;
  const [width, height] = numbersIn(/^(\d{2,5})x(\d{2,5})$/, options.imageSize);
  if (width && height) return Math.ceil(width * height * SIZE_SHARE);
  const pixels = pixelsOfTier(mode, options);
  return pixels === undefined ? undefined : Math.ceil(pixels * TIER_SHARE);
};

/**
 * The least that each result of a call must have. A result with less is not the sold one, so its job fails and is
 * refunded. A call in which a clip drives a picture gets a film of the clip's length, if the clip is shorter than sold.
 */
export const leastResultOf = (
  mode: MediaMode,
  options: MediaOptions,
  clipSeconds = Number.POSITIVE_INFINITY,
): LeastResult => {
  const { seconds } = options;
  const sold =
    seconds === undefined ? undefined : Math.min(seconds, mode === 'motion' ? clipSeconds : seconds);
  return {
    seconds: sold === undefined ? undefined : Math.min(sold - SECONDS_SHORT, sold * SECONDS_SHARE),
    pixels: pixelsOf(mode, options),
  };
};
