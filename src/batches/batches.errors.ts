import { AppError } from '../kernel/app-error';

/** An owner keeps a limited number of files, and has a limited number of open batches. */
export class TooManyBatches extends AppError {
  readonly kind = 'conflict';
  readonly code = 'TOO_MANY_BATCHES';
}

/** An open batch works from the file. */
export class FileInUse extends AppError {
  readonly kind = 'conflict';
  readonly code = 'FILE_IN_USE';

  constructor() {
    super('A batch works from this file. Cancel the batch, or wait until it has ended.');
  }
}

/** Files are stored for owners who have paid before. */
export class FilesNotFree extends AppError {
  readonly kind = 'payment_required';
  readonly code = 'INSUFFICIENT_FUNDS';

  constructor(topUp: string) {
    super('Files are only for owners who have paid before. Top up any amount, then send it again.', {
      links: { topUp },
    });
  }
}
