import { AppError } from '../../kernel/app-error';

/**
 * The database can't be reached, or is too busy to answer in time. A statement in flight may or may not have taken
 * effect. Code that moves money therefore checks before it repeats a statement.
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
