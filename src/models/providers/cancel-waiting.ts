import { setTimeout as pause } from 'node:timers/promises';

import type { Cancellation } from './media-provider';

/** The billing state of work at its provider. */
export type BillingState =
  /** The provider accepted the work, and has not started it. */
  | 'waiting'
  /** The work is started or completed, so the provider may bill it. */
  | 'begun'
  /** The work has ended, and certainly never started. */
  | 'dropped';

const SAYS: Readonly<Record<BillingState, Cancellation>> = {
  waiting: 'unknown',
  begun: 'billed',
  dropped: 'stopped-unbilled',
};

const LOOKS_MAX = 3;
const LOOK_AGAIN_MS = 300;

/**
 * Cancels work that its provider has not started. Started work continues, because the provider may bill it, and the job
 * uses its result. Only an answer that proves the end of the work counts; otherwise later polls decide.
 */
export const cancelWaiting = async (
  {
    look,
    cancel,
  }: { readonly look: () => Promise<BillingState>; readonly cancel: () => Promise<BillingState> },
  signal: AbortSignal,
): Promise<Cancellation> => {
  let state = await look();
  // If the provider refused the cancellation, or its answer was lost, the polls below decide.
  if (state === 'waiting') state = await cancel().catch(() => 'waiting');
  for (let looks = 1; state === 'waiting' && looks <= LOOKS_MAX; looks += 1) {
    if (looks > 1) await pause(LOOK_AGAIN_MS, undefined, { signal, ref: false });
    state = await look();
  }
  return SAYS[state];
};
