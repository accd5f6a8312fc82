import { defineError } from '#kernel/app-error';
import { PAYLOAD_TOO_LARGE } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';

export interface FetchErrorContext {
  /** The caller's field that named the address. */
  readonly param?: string;
  readonly cause?: unknown;
}

/**
 * A caller's file can't be fetched. The reason contains only facts that the caller can see, and never the resolved
 * addresses of a name.
 */
export class MediaUnreachable extends defineError(
  errorCode('MEDIA_UNREACHABLE', 'invalid_request', {
    means: 'A file that you named by its address could not be fetched from here.',
    remedy:
      'The address must be public, https, and answer without a sign-in. Or send the file itself, as a `data:` URI.',
  }),
  (reason: string, { param, cause }: FetchErrorContext = {}) => ({
    message: `${param ?? 'The file'} could not be fetched: ${reason}.`,
    param,
    cause,
  }),
) {}

/** A caller's file is larger than its field accepts. */
export class MediaTooLarge extends defineError(PAYLOAD_TOO_LARGE) {
  constructor(
    readonly bytesMax: number,
    { param, cause }: FetchErrorContext = {},
  ) {
    const megabytes = bytesMax / 1_048_576;
    const limit = Number.isInteger(megabytes) ? `${megabytes} MB` : `${bytesMax} bytes`;
    super(`${param ?? 'The file'} is larger than ${limit}.`, { kind: 'invalid_request', param, cause });
  }
}
