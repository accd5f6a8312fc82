import { setImmediate as breathe } from 'node:timers/promises';

import type { MaybePromise } from '../../kernel/maybe-promise';
import type { ContentPolicy, PolicyVerdict } from '../content-policy';

/** So much is looked at in one go; other callers have their turn after it. */
const SLICE_CHARS = 16 * 1024;
/** For a service outside, which is asked less often with more. */
const REMOTE_SLICE_CHARS = 64 * 1024;
/** Text on both sides of a cut is seen whole in the slice after it. */
const OVERLAP_CHARS = 512;

/** Longer texts are screened only for callers whose money covers the call: screening them takes time. */
const UNPAID_CHARS_MAX = 4_096;

/** Whether screening so many characters comes after a look at the caller's money. */
export const isLongText = (chars: number): boolean => chars > UNPAID_CHARS_MAX;

/** A verdict on a text, and the part of the text that it was given for. */
export interface SliceVerdict {
  readonly verdict: PolicyVerdict;
  readonly from: number;
  readonly to: number;
}

/** Screens a text a slice at a time, each once, up to the first that is not allowed. A short text is answered at once. */
export const screenInSlices = (
  policy: ContentPolicy,
  text: string,
  signal?: AbortSignal,
  start = 0,
): MaybePromise<SliceVerdict> => {
  const size = policy.remote ? REMOTE_SLICE_CHARS : SLICE_CHARS;
  const [from, to] = [Math.max(0, start - OVERLAP_CHARS), start + size];
  const asked = policy.screenText(text.slice(from, to));
  if (to >= text.length && !(asked instanceof Promise)) return { verdict: asked, from, to };
  return goOn(policy, text, signal, { asked, from, to });
};

const goOn = async (
  policy: ContentPolicy,
  text: string,
  signal: AbortSignal | undefined,
  { asked, from, to }: { asked: MaybePromise<PolicyVerdict>; from: number; to: number },
): Promise<SliceVerdict> => {
  const verdict = await asked;
  if (!verdict.allowed || to >= text.length) return { verdict, from, to };
  await breathe();
  signal?.throwIfAborted();
  return screenInSlices(policy, text, signal, to);
};
