import { defineError } from '#kernel/app-error';
import { INVALID_REQUEST, PROVIDER_UNAVAILABLE, UNSUPPORTED_MEDIA } from '#kernel/common-codes';

/** The value of the field is unusable: for example, it is no address, is invalid base64, or has too many pixels. */
export class BadMedia extends defineError(INVALID_REQUEST, (param: string, problem: string) => ({
  message: `${param} ${problem}.`,
  param,
})) {}

/** The bytes are no accepted kind of medium, even if the caller claimed an accepted type. */
export class UnsupportedMedia extends defineError(UNSUPPORTED_MEDIA) {
  constructor(
    readonly param: string,
    problem: string,
  ) {
    super(`${param} ${problem}.`, { param });
  }
}

/** Too many large bodies arrive at once. */
export const UploadsBusy = defineError(
  PROVIDER_UNAVAILABLE,
  'Too many large media are arriving now. Nothing was charged; send it again shortly.',
  { retryAfterSeconds: 5 },
);
