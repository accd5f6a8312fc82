import { defineError } from '#kernel/app-error';
import { INSUFFICIENT_FUNDS } from '#money/billing/charges/funds.errors';
import { INTERNAL, NOT_FOUND } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';
import { FREE_HOURS, FREE_MAX, LIBRARY_MAX } from './reference-limits';

export class LibraryFull extends defineError(
  errorCode('LIBRARY_FULL', 'full', {
    means: 'Your library is full.',
    remedy: 'Delete one, then add this. Waiting does not help.',
  }),
  `Your library holds ${LIBRARY_MAX} references, which is the maximum. Delete one, then add this.`,
) {}

/** The limit applies only to owners who have never paid. */
export class FreeReferencesSpent extends defineError(
  INSUFFICIENT_FUNDS,
  (topUp: string, cause?: unknown) => ({
    message:
      `Before the first payment a library holds ${FREE_MAX} references of at most 1 MB, for ${FREE_HOURS} hours. One ` +
      'address can add as many. Top up any amount, then send it again.',
    links: { topUp },
    cause,
  }),
) {}

/** An outside embedder costs money for each text, so owners who have never paid can't search with it. */
export const SearchNotFree = defineError(INSUFFICIENT_FUNDS, (topUp: string) => ({
  message:
    'Searching a library is only for owners who have paid before. Top up any amount, then send it again.',
  links: { topUp },
}));

/** The policy does not allow the file; it was not stored. */
export const MediaRejected = defineError(
  errorCode('MEDIA_REJECTED', 'media_rejected', {
    means: 'The content policy does not allow this image or video. Nothing of it was kept.',
    remedy: 'Use another one.',
  }),
  (param: string, category: string) => ({
    message: `The content policy does not allow this ${param} (${category}). Nothing of it was kept.`,
    param,
  }),
);

/** A reference of another owner gets the same message as a reference that never existed. */
export const ReferenceNotFound = defineError(NOT_FOUND, (param?: string) => ({
  message: 'There is no such reference in your library.',
  param,
}));

/** Storing the reference took so long that a sweep deleted its blob meanwhile. */
export const ReferenceNotKept = defineError(
  INTERNAL,
  'Storing this took too long. Nothing of it was kept; send it again.',
  { kind: 'unavailable', retryAfterSeconds: 1 },
);
