import { defineError } from '#kernel/app-error';
import { PROVIDER_UNAVAILABLE } from '#kernel/common-codes';

/** The store can't be reached, is full, or refuses us. The caller is not at fault and may try again. */
export class BlobStoreUnavailable extends defineError(PROVIDER_UNAVAILABLE, (cause: unknown) => ({
  message: 'Media cannot be stored or read at the moment. Try again shortly.',
  cause,
  retryAfterSeconds: 5,
})) {}

/** A range that starts after the end; the HTTP answer is 416 with the size. */
export class BlobRangeOutside extends Error {
  constructor(readonly bytes: number | undefined) {
    super('The range starts behind the end of the blob.');
    this.name = 'BlobRangeOutside';
  }
}

/** Converts any error of the work to an error of the store. */
export const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new BlobStoreUnavailable(error);
  }
};
