import { AppError } from '../kernel/app-error';

/** The job has ended, its provider bills it or does not answer, or its money would not be refunded. */
export class CancelTooLate extends AppError {
  readonly kind = 'conflict';
  readonly code = 'CANCEL_TOO_LATE';

  constructor() {
    super('This job cannot be cancelled any more. If it still runs, it runs to its end.');
  }
}
