import { AppError } from '../../kernel/app-error';

/** The backend of the queues can't be reached, or is too busy to answer in time. */
export class QueueUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor(cause?: unknown) {
    super('The queues do not answer; try again in a moment.', { retryAfterSeconds: 5, cause });
  }
}
