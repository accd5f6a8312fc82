import { AppError } from '../../kernel/app-error';

/** The process is shutting down, and ended the stream before its answer was complete. */
export class ServiceRestarts extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'INTERNAL';

  constructor(cause: unknown) {
    super('The service restarts and has ended this stream. Nothing was charged; send the same call again.', {
      retryAfterSeconds: 1,
      cause,
    });
  }
}
