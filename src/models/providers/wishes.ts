import type { MediaMode } from './media-mode';

/** The wishes by their names in a call and in the catalog. Only some models can fulfil each of them. */
const WISHES = ['seed', 'negativePrompt', 'sources', 'mask', 'lastFrame', 'extend', 'n'] as const;
/** The highest number of results in one call, at any model. */
export const RESULTS_MAX = 4;
export type Wish = (typeof WISHES)[number];

/** The wishes of a call. Their values may have any form. */
export type Wished = Partial<Readonly<Record<Wish, unknown>>>;

/** The wishes that a call contains. An empty list of pictures is no wish, and `n: 1` is none. */
export const wishesIn = (call: Wished): readonly Wish[] =>
  WISHES.filter((wish) => {
    const value = call[wish];
    const isNothing = wish === 'n' ? value === 1 : Array.isArray(value) && value.length === 0;
    return value !== undefined && !isNothing;
  });

/** The wishes that make sense in each mode. A catalog with any other wish is wrong. */
export const WISHES_OF: Readonly<Record<MediaMode, readonly Wish[]>> = {
  t2i: ['seed', 'negativePrompt', 'n'],
  i2i: ['seed', 'negativePrompt', 'sources', 'mask', 'n'],
  t2v: ['seed', 'negativePrompt', 'extend'],
  i2v: ['seed', 'negativePrompt', 'lastFrame'],
  swap: ['seed'],
  motion: ['seed', 'negativePrompt'],
};
