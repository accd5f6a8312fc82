import type { MediaMode } from './media-mode';

/** Wishes of a media call that only some models can fulfil, by their names in a call and in the catalog. */
const WISHES = ['seed', 'negativePrompt', 'sources', 'mask', 'lastFrame', 'extend', 'n'] as const;
/** The most results of any model in one call. */
export const RESULTS_MAX = 4;
export type Wish = (typeof WISHES)[number];

/** The wishes of a call, in any form of their values. */
export type Wished = Partial<Readonly<Record<Wish, unknown>>>;

/** An empty list of pictures is no wish, and one result is no wish. */
export const wishesIn = (call: Wished): readonly Wish[] =>
  WISHES.filter((wish) => {
    const value = call[wish];
    const isNothing = wish === 'n' ? value === 1 : Array.isArray(value) && value.length === 0;
    return value !== undefined && !isNothing;
  });

/** The wishes that can make sense in a mode. Others in the catalog are mistakes. */
export const WISHES_OF: Readonly<Record<MediaMode, readonly Wish[]>> = {
  t2i: ['seed', 'negativePrompt', 'n'],
  i2i: ['seed', 'negativePrompt', 'sources', 'mask', 'n'],
  t2v: ['seed', 'negativePrompt', 'extend'],
  i2v: ['seed', 'negativePrompt', 'lastFrame'],
  swap: ['seed'],
  motion: ['seed', 'negativePrompt'],
};
