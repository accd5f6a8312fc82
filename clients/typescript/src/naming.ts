import { CallAborted, CallError, type Known } from './errors.ts';
import { untilAbort } from './on-abort.ts';
import type { Request } from './sender.ts';

/** Adds to an error what is known of its call. */
export const knowing = async <T>(known: Known, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CallError ? error.know(known) : error;
  }
};

/** Runs a paid call. Each error after its first request contains the idempotency key, so that the caller can go on. */
export const naming = async <T>({ signal, headers }: Request, work: () => Promise<T>): Promise<T> => {
  signal?.throwIfAborted();
  const idempotencyKey = headers?.['Idempotency-Key'] ?? '';
  try {
    return await untilAbort(signal, knowing({ idempotencyKey }, work));
  } catch (error) {
    if (signal?.aborted !== true || error !== signal.reason) throw error;
    throw new CallAborted({ idempotencyKey }, error);
  }
};
