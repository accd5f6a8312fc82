import { AppError } from '../../kernel/app-error';

/**
 * The database can't be reached, or is too busy to answer in time. A statement that was on its way may or may not have
 * taken effect: who moved money looks before doing it again.
 */
export class DatabaseUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor(cause: unknown) {
    super('The service is briefly unavailable; send the same call again in a moment.', {
      retryAfterSeconds: 1,
      cause,
    });
  }
}
