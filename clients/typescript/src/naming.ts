import { CallAborted } from './errors.ts';
import type { Request } from './sender.ts';

/** Runs a paid call. If its caller aborts it, the error contains the call's key, so that its outcome can be found. */
export const naming = async <T>({ signal, headers }: Request, work: () => Promise<T>): Promise<T> => {
  signal?.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted !== true || error !== signal.reason) throw error;
    throw new CallAborted(headers?.['Idempotency-Key'] ?? '', undefined, undefined, error);
  }
};
