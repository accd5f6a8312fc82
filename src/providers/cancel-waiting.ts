import { setTimeout as pause } from 'node:timers/promises';

import type { Cancellation } from './media-provider';

/** The billing state of work at its provider. */
export type BillingState =
  /** Accepted, and not started. */
  | 'waiting'
  /** Started or completed: it may be billed. */
  | 'begun'
  /** Ended, and certainly not started. */
  | 'dropped';

const SAYS: Readonly<Record<BillingState, Cancellation>> = {
  waiting: 'unknown',
  begun: 'billed',
  dropped: 'stopped-unbilled',
};

const LOOKS_MAX = 3;
const LOOK_AGAIN_MS = 300;

/**
 * Cancels work that waits at its provider. Started work continues, because it may be billed, and its result is used.
 * The answer to the cancellation proves nothing; only the state of the work afterwards counts.
 */
export const cancelWaiting = async (
  {
    look,
    cancel,
  }: { readonly look: () => Promise<BillingState>; readonly cancel: () => Promise<BillingState> },
  signal: AbortSignal,
): Promise<Cancellation> => {
  let state = await look();
  // The cancellation was refused, or its answer was lost; the next poll shows which.
  if (state === 'waiting') state = await cancel().catch(() => 'waiting');
  for (let looks = 1; state === 'waiting' && looks <= LOOKS_MAX; looks += 1) {
    if (looks > 1) await pause(LOOK_AGAIN_MS, undefined, { signal, ref: false });
    state = await look();
  }
  return SAYS[state];
};
