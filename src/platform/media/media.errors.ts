import { AppError } from '../../kernel/app-error';

/** The value of the field is unusable: for example, it is no address, is invalid base64, or has too many pixels. */
export class BadMedia extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';

  constructor(param: string, problem: string) {
    super(`${param} ${problem}.`, { param });
  }
}

/** The bytes are no accepted kind of medium, even if the caller claimed an accepted type. */
export class UnsupportedMedia extends AppError {
  readonly kind = 'unsupported_media';
  readonly code = 'UNSUPPORTED_MEDIA';

  constructor(
    readonly param: string,
    problem: string,
  ) {
    super(`${param} ${problem}.`, { param });
  }
}

/** Too many large bodies arrive at once. */
export class UploadsBusy extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PROVIDER_UNAVAILABLE';

  constructor() {
    super('Too many large media are arriving now. Nothing was charged; send it again shortly.', {
      retryAfterSeconds: 5,
    });
  }
}
