import { defineError } from '#kernel/app-error';
import { PROVIDER_UNAVAILABLE } from '#kernel/common-codes';

/** The machine can't start another process now, which is not the fault of the file. */
export const NoChildProcess = defineError(PROVIDER_UNAVAILABLE, (cause: Error) => ({
  message: 'The service cannot read media now. Nothing was charged; send it again shortly.',
  retryAfterSeconds: 5,
  cause,
}));
