import { AppError } from '../../../kernel/app-error';

export interface FetchErrorContext {
  /** The caller's field that named the address. */
  readonly param?: string;
  readonly cause?: unknown;
}

/**
 * A caller's file can't be fetched. The reason contains only facts that the caller can see, and never the resolved
 * addresses of a name.
 */
export class MediaUnreachable extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'MEDIA_UNREACHABLE';

  constructor(reason: string, { param, cause }: FetchErrorContext = {}) {
    super(`${param ?? 'The file'} could not be fetched: ${reason}.`, { param, cause });
  }
}

/** A caller's file is larger than its field accepts. */
export class MediaTooLarge extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'PAYLOAD_TOO_LARGE';

  constructor(
    readonly bytesMax: number,
    { param, cause }: FetchErrorContext = {},
  ) {
    const megabytes = bytesMax / 1_048_576;
    const limit = Number.isInteger(megabytes) ? `${megabytes} MB` : `${bytesMax} bytes`;
    super(`${param ?? 'The file'} is larger than ${limit}.`, { param, cause });
  }
}
