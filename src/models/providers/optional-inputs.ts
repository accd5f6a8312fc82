import type { MediaMode } from './media-mode';

/** The optional inputs by their names in a call and in the catalog. Only some models can fulfil each of them. */
const OPTIONAL_INPUTS = ['seed', 'negativePrompt', 'sources', 'mask', 'lastFrame', 'extend', 'n'] as const;
/** The highest number of results in one call, at any model. */
export const RESULTS_MAX = 4;
export type OptionalInput = (typeof OPTIONAL_INPUTS)[number];

/** The optional inputs of a call. Their values may have any form. */
export type OptionalInputs = Partial<Readonly<Record<OptionalInput, unknown>>>;

/** The optional inputs that a call contains. An empty list of pictures does not count, nor does `n: 1`. */
export const optionalInputsIn = (call: OptionalInputs): readonly OptionalInput[] =>
  OPTIONAL_INPUTS.filter((input) => {
    const value = call[input];
    const isNothing = input === 'n' ? value === 1 : Array.isArray(value) && value.length === 0;
    return value !== undefined && !isNothing;
  });

/** The optional inputs that make sense in each mode. A catalog with any other optional input is wrong. */
export const OPTIONAL_INPUTS_OF: Readonly<Record<MediaMode, readonly OptionalInput[]>> = {
  t2i: ['seed', 'negativePrompt', 'n'],
  i2i: ['seed', 'negativePrompt', 'sources', 'mask', 'n'],
  t2v: ['seed', 'negativePrompt', 'extend'],
  i2v: ['seed', 'negativePrompt', 'lastFrame'],
  swap: ['seed'],
  motion: ['seed', 'negativePrompt'],
};
