import { setTimeout as pause } from 'node:timers/promises';

import type { Cancellation } from './media-provider';

/** How work stands at its provider, as far as the bill goes. */
export type BillingState =
  /** Taken, and nothing done for it. */
  | 'waiting'
  /** Something was done for it, or it is at its end: it may be billed. */
  | 'begun'
  /** It has ended, and surely nothing was done for it. */
  | 'dropped';

const SAYS: Readonly<Record<BillingState, Cancellation>> = {
  waiting: 'unknown',
  begun: 'billed',
  dropped: 'stopped-unbilled',
};

const LOOKS_MAX = 3;
const LOOK_AGAIN_MS = 300;

/**
 * Cancels work that waits at its provider, and leaves alone what has begun: that may be billed, so it shall be had. The
 * answer to a cancellation is a promise at best; what counts is what the work looks like afterwards.
 */
export const cancelWaiting = async (
  {
    look,
    cancel,
  }: { readonly look: () => Promise<BillingState>; readonly cancel: () => Promise<BillingState> },
  signal: AbortSignal,
): Promise<Cancellation> => {
  let state = await look();
  // Refused, or its answer was lost: the next look tells.
  if (state === 'waiting') state = await cancel().catch(() => 'waiting');
  for (let looks = 1; state === 'waiting' && looks <= LOOKS_MAX; looks += 1) {
    if (looks > 1) await pause(LOOK_AGAIN_MS, undefined, { signal, ref: false });
    state = await look();
  }
  return SAYS[state];
};
