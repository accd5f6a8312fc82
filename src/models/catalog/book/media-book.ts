import { type Micro, ceilDiv, micro, parseUsd } from '#kernel/money';
import type { AudioEntry, MediaEntry } from '../catalog-entries';
import file from './media-prices.json';

/** The work that the service can do with a model, in the words of a catalog file. */
export type MakesMedia = Pick<MediaEntry, 'mode'> &
  Partial<
    Pick<
      MediaEntry,
      | 'audio'
      | 'capabilities'
      | 'aspectRatios'
      | 'resolutions'
      | 'imageSizes'
      | 'qualities'
      | 'durations'
      | 'deadlineSeconds'
    >
  > & {
    /** The most that the maker bills beside a result, for the prompt, the sources and the thoughts. */
    readonly besideUsd?: string;
  };
type MakesAudio = Pick<AudioEntry, 'kind' | 'voices' | 'formats'>;

/** The maker's price of a medium or of sound, by size and quality. */
export interface MediaPrice {
  readonly vendor: string;
  readonly model: string;
  readonly name?: string;
  readonly unit: string;
  readonly usd: Readonly<Record<string, string | undefined>>;
  /** The prices of a million tokens, if the maker bills the prompt and the result by tokens. */
  readonly tokens?: Readonly<Record<'input' | 'inputImage' | 'output', string>>;
  /** Without it, the price is only there to compare routes with. */
  readonly makes?: readonly (MakesMedia | MakesAudio)[];
  /** The page to read the price at. */
  readonly source: string;
  /** Whether somebody read it there, or elsewhere. */
  readonly read: string;
  /** The day of looking. The page may be older. */
  readonly day: string;
  /** The page of others on which somebody read it. */
  readonly seen?: string;
}

/** The whole book of media and sound. */
export const MEDIA_PRICES = file.prices as unknown as readonly MediaPrice[];

/** The days on which somebody looked up the prices. */
export const mediaDays: readonly string[] = MEDIA_PRICES.map(({ day }) => day);

/** A result, in the words of the catalog. */
export interface PricedResult {
  /** The resolution or the size in pixels, if the model has several. */
  readonly tier: string;
  /** Of pictures whose price depends on it: `medium` if the call names none. */
  readonly quality?: string | undefined;
}

const MEGAPIXEL = 1_000_000n;
const EDGES: Readonly<Record<string, number>> = { '1K': 1_024, '2K': 2_048 };

const pixelsOf = (tier: string): number => {
  const [width = 0, height = width] = tier.includes('x') ? tier.split('x').map(Number) : [EDGES[tier]];
  return width * height;
};

const priceOf = (vendor: string, model: string): MediaPrice | undefined =>
  MEDIA_PRICES.find((each) => each.vendor === vendor && each.model === model);

/** The maker's prices of a million tokens. Undefined if it bills no tokens. */
export const mediaTokensOf = (vendor: string, model: string): MediaPrice['tokens'] =>
  priceOf(vendor, model)?.tokens;

/** The maker's price of an image, a second or another unit. Undefined if the book does not have it. */
export const mediaPriceOf = (
  vendor: string,
  model: string,
  { tier, quality = 'medium' }: PricedResult,
): Micro | undefined => {
  const price = priceOf(vendor, model);
  const usd = price?.usd[`${quality} ${tier}`] ?? price?.usd[tier] ?? price?.usd['default'];
  const one = usd === undefined ? undefined : parseUsd(usd);
  if (one === undefined || price?.unit !== 'megapixel') return one;
  const pixels = pixelsOf(tier);
  // A picture of 1024 by 1024 pixels counts as one megapixel at every maker.
  const begun = pixels <= 1_024 * 1_024 ? 1n : ceilDiv(BigInt(pixels), MEGAPIXEL);
  return micro(one * begun);
};
