import { AppError } from '../kernel/app-error';
import { FREE_MAX, LIBRARY_MAX } from './reference';

export class LibraryFull extends AppError {
  readonly kind = 'full';
  readonly code = 'LIBRARY_FULL';

  constructor() {
    super(`Your library holds ${LIBRARY_MAX} references, which is the maximum. Delete one, then add this.`);
  }
}

/** The limit applies only to owners who have never paid. */
export class FreeReferencesSpent extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INSUFFICIENT_FUNDS';

  constructor(topUp: string, cause?: unknown) {
    super(
      `Before the first payment a library holds ${FREE_MAX} references of at most 1 MB, for 24 hours. One address ` +
        'can add as many. Top up any amount, then send it again.',
      { links: { topUp }, cause },
    );
  }
}

/** An outside embedder costs money for each text, so owners who have never paid can't search with it. */
export class SearchNotFree extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INSUFFICIENT_FUNDS';

  constructor(topUp: string) {
    super(
      'Searching a library is only for owners who have paid before. Top up any amount, then send it again.',
      {
        links: { topUp },
      },
    );
  }
}

/** The policy does not allow the file; it was not stored. */
export class MediaRejected extends AppError {
  readonly kind = 'media_rejected';
  readonly code = 'MEDIA_REJECTED';

  constructor(param: string, category: string) {
    super(`The content policy does not allow this ${param} (${category}). Nothing of it was kept.`, {
      param,
    });
  }
}

/** A reference of another owner gets the same message as a reference that never existed. */
export class ReferenceNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'NOT_FOUND';

  constructor(param?: string) {
    super('There is no such reference in your library.', { param });
  }
}

/** Storing the reference took so long that a sweep deleted its blob meanwhile. */
export class ReferenceNotKept extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor() {
    super('Storing this took too long. Nothing of it was kept; send it again.', { retryAfterSeconds: 1 });
  }
}
