import { CallAborted } from './errors.ts';
import type { Request } from './sender.ts';

/**
 * Runs a paid call. If the caller aborts it, the error contains the idempotency key, so that the caller can find the
 * outcome.
 */
export const naming = async <T>({ signal, headers }: Request, work: () => Promise<T>): Promise<T> => {
  signal?.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted !== true || error !== signal.reason) throw error;
    throw new CallAborted(headers?.['Idempotency-Key'] ?? '', undefined, undefined, error);
  }
};
