import { setImmediate as breathe } from 'node:timers/promises';

import type { ContentPolicy, PolicyVerdict } from './content-policy';

/** The size of a slice. The process serves other callers between two slices, so a slice must be short. */
const SLICE_CHARS = 16 * 1024;
/** The size for a remote screener, which then gets fewer and larger requests. */
const REMOTE_SLICE_CHARS = 64 * 1024;
/** The overlap of slices. A text on both sides of a cut is complete in the next slice. */
const OVERLAP_CHARS = 512;

/** Longer texts are screened only for callers with enough money for the call, because screening takes time. */
const UNPAID_CHARS_MAX = 4_096;

/** Whether the service checks the caller's money before it screens this many characters. */
export const isLongText = (chars: number): boolean => chars > UNPAID_CHARS_MAX;

/** A verdict, and the part of the text that it covers. */
export interface SliceVerdict {
  readonly verdict: PolicyVerdict;
  readonly from: number;
  readonly to: number;
}

/** Screens a text in slices, up to the first blocked slice. */
export const screenInSlices = async (
  policy: ContentPolicy,
  text: string,
  signal?: AbortSignal,
): Promise<SliceVerdict> => {
  const size = policy.remote ? REMOTE_SLICE_CHARS : SLICE_CHARS;
  for (let start = 0; ; start += size) {
    const [from, to] = [Math.max(0, start - OVERLAP_CHARS), start + size];
    const verdict = await policy.screenText(text.slice(from, to));
    if (!verdict.allowed || to >= text.length) return { verdict, from, to };
    await breathe();
    signal?.throwIfAborted();
  }
};
