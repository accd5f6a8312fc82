import { AppError } from '../../../kernel/app-error';

/** The bodies that arrive now need more memory than the budget has. */
export class BodiesBusy extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PROVIDER_UNAVAILABLE';

  constructor() {
    super('Too many large bodies are arriving now. Nothing was charged; send it again shortly.', {
      retryAfterSeconds: 5,
    });
  }
}

/** The sender was too slow while other bodies waited for memory. */
export class BodyTooSlow extends AppError {
  readonly kind = 'too_slow';
  readonly code = 'BODY_TOO_SLOW';

  constructor() {
    super(
      'The body arrived so slowly that it lost its slot to a waiting one. Send it again at 32 KB a second or more, or ' +
        'name your media by their address.',
      { headers: { connection: 'close' } },
    );
  }
}

export class BodyTooLarge extends AppError {
  readonly kind = 'too_large';
  readonly code = 'PAYLOAD_TOO_LARGE';

  constructor(bytes: number) {
    super(
      `Without its media this body is larger than ${bytes / 1024} KB. This route takes no more, or no more of a caller ` +
        'who has not shown a balance or a payment yet.',
    );
  }
}

/** The balance was too low when the body arrived, so the service read the body only for its price, and dropped it. */
export class BodyNotKept extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PROVIDER_UNAVAILABLE';

  constructor() {
    super('The balance arrived after this body, so the body was not kept. Send the same call again.', {
      retryAfterSeconds: 1,
    });
  }
}

/** The caller has disconnected and does not read this answer. */
export class HungUp extends Error {
  readonly statusCode = 400;

  constructor() {
    super('The caller disconnected.');
  }
}
