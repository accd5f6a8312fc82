import { AppError } from '../../../kernel/app-error';

export interface FetchErrorContext {
  /** The field that named the address. */
  readonly param?: string;
  readonly cause?: unknown;
}

/** A caller's file can't be had. The reason speaks of what the caller can see, never of what a name resolved to. */
export class MediaUnreachable extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'MEDIA_UNREACHABLE';

  constructor(reason: string, { param, cause }: FetchErrorContext = {}) {
    super(`${param ?? 'The file'} could not be fetched: ${reason}.`, { param, cause });
  }
}

/** A caller's file is larger than its field takes. */
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
