import { AppError } from '../kernel/app-error';

/** It has ended, its provider bills it or does not say, or its money would not come back. */
export class CancelTooLate extends AppError {
  readonly kind = 'conflict';
  readonly code = 'CANCEL_TOO_LATE';

  constructor() {
    super('This job can not be cancelled any more. If it still runs, it runs to its end.');
  }
}
