import { AppError } from '../kernel/app-error';

/** The provider refused or failed the work. The caller never sees the provider's message. */
export class ProviderFailed extends AppError {
  readonly kind = 'provider';
  readonly code = 'PROVIDER_ERROR';

  constructor(cause?: unknown) {
    super(
      'The model refused or failed this call. Nothing was charged; try it again or choose another model.',
      {
        cause,
      },
    );
  }
}

/**
 * The provider does not do such work, and accepted none. The failover tries the next route, and this route counts as
 * healthy.
 */
export class NotServed extends ProviderFailed {
  /** `param` is the caller's field that the provider can't serve, if it names one. */
  constructor(
    cause?: unknown,
    readonly param?: string,
  ) {
    super(cause);
  }
}

/** The provider can't be reached, or gave no answer in time. */
export class ProviderUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PROVIDER_UNAVAILABLE';

  constructor(cause?: unknown, retryAfterSeconds = 5) {
    super('The model does not answer just now. Nothing was charged; send the same call again in a moment.', {
      retryAfterSeconds,
      cause,
    });
  }
}

/** The provider may have made the text, but its answer is lost. The failover asks no other route for the same work. */
export class AnswerLost extends ProviderUnavailable {}

/** The service gave the work up before a provider received or answered it, so no provider is at fault. */
export class WorkGivenUp extends ProviderUnavailable {}

/**
 * The provider may or may not have accepted the submission. The service refunds nothing until a look-up or the deadline
 * decides.
 */
export class SubmissionInDoubt extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PROVIDER_UNAVAILABLE';

  constructor(cause?: unknown) {
    super('It is not known yet whether the work was accepted. Send the very same call again in a moment.', {
      retryAfterSeconds: 5,
      cause,
    });
  }
}

/** The model is retired, or an operator has switched it or all its routes off. */
export class NothingServes extends AppError {
  readonly kind = 'not_sold';
  readonly code = 'NOT_OFFERED';

  constructor(replacedBy?: string) {
    super(
      replacedBy === undefined
        ? 'This model is not sold at the moment. Nothing was charged; GET /v1/agent/models lists what there is.'
        : `This model is retired. Nothing was charged; use ${replacedBy} instead.`,
    );
  }
}
