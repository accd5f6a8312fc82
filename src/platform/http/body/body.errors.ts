import { InvalidRequest, defineError } from '#kernel/app-error';
import { PAYLOAD_TOO_LARGE, PROVIDER_UNAVAILABLE } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';

/** The bodies that arrive now need more memory than the budget has. */
export const BodiesBusy = defineError(
  PROVIDER_UNAVAILABLE,
  'Too many large bodies are arriving now. Nothing was charged; send it again shortly.',
  { retryAfterSeconds: 5 },
);

/** The sender was too slow while other bodies waited for memory. */
export class BodyTooSlow extends defineError(
  errorCode('BODY_TOO_SLOW', 'too_slow', {
    means: 'A large body arrived so slowly that it lost its slot to a waiting one.',
    remedy: 'Send it again at 32 KB a second or more, or name media by their address instead.',
  }),
  'The body arrived so slowly that it lost its slot to a waiting one. Send it again at 32 KB a second or more, or ' +
    'name your media by their address.',
  { headers: { connection: 'close' } },
) {}

export const BodyTooLarge = defineError(
  PAYLOAD_TOO_LARGE,
  (bytes: number) =>
    `Without its media this body is larger than ${bytes / 1024} KB. This route takes no more, or no more of a caller ` +
    'who has not shown a balance or a payment yet.',
);

/** The balance was too low when the body arrived, so the service read the body only for its price, and dropped it. */
export class BodyNotKept extends defineError(
  PROVIDER_UNAVAILABLE,
  'The balance arrived after this body, so the body was not kept. Send the same call again.',
  { retryAfterSeconds: 1 },
) {}

/** The caller has disconnected and does not read this answer. */
export class HungUp extends Error {
  readonly statusCode = 400;

  constructor() {
    super('The caller disconnected.');
  }
}

export const FileTooLarge = defineError(
  PAYLOAD_TOO_LARGE,
  (bytes: number) => `The file may have at most ${Math.floor(bytes / 1024 / 1024)} MB.`,
  { param: 'file' },
);

/** A field of a form that must be text is a file. */
export const noFile = (name: string): InvalidRequest => {
  const short = name.slice(0, 100);
  return new InvalidRequest(`${short} must be text, not a file.`, { param: short });
};
