import { setTimeout as pause } from 'node:timers/promises';

import type { Cancellation } from './media-provider';

export type BillingState =
  /** The provider accepted the work, and has not started it. */
  | 'waiting'
  /** The work is started or completed, so the provider may bill it. */
  | 'begun'
  /** The work has ended, and certainly never started. */
  | 'dropped';

const CANCELLATION_OF: Readonly<Record<BillingState, Cancellation>> = {
  waiting: 'unknown',
  begun: 'billed',
  dropped: 'stopped-unbilled',
};

const READS_MAX = 3;
const READ_AGAIN_MS = 300;

/**
 * Cancels work that its provider has not started. Started work continues, because the provider may bill it, and the job
 * uses its result. Only an answer that proves the end of the work counts; otherwise later polls decide.
 */
export const cancelWaiting = async (
  {
    stateNow,
    cancel,
  }: { readonly stateNow: () => Promise<BillingState>; readonly cancel: () => Promise<BillingState> },
  signal: AbortSignal,
): Promise<Cancellation> => {
  let state = await stateNow();
  // If the provider refused the cancellation, or its answer was lost, the polls below decide.
  if (state === 'waiting') state = await cancel().catch(() => 'waiting');
  for (let reads = 1; state === 'waiting' && reads <= READS_MAX; reads += 1) {
    if (reads > 1) await pause(READ_AGAIN_MS, undefined, { signal, ref: false });
    state = await stateNow();
  }
  return CANCELLATION_OF[state];
};
