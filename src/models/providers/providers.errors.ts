import { defineError } from '#kernel/app-error';
import { PROVIDER_UNAVAILABLE } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';

export const PROVIDER_ERROR = errorCode('PROVIDER_ERROR', 'provider', {
  means: 'The model refused or failed this call. Nothing was charged.',
  remedy: 'Send it again, change the prompt, or use another model.',
});

/** The caller can shorten the conversation. No provider is at fault, so no other route is tried. */
export class ContextTooLong extends defineError(
  errorCode('CONTEXT_TOO_LONG', 'invalid_request', {
    means:
      'The conversation is longer than the model can read (`contextTokens` in the list of models). Nothing was charged.',
    remedy:
      'Shorten or summarise the conversation, or use a model with a longer context. A retry of the same call fails again.',
  }),
  (cause: unknown, tokens?: { readonly sent: number; readonly max: number }) => {
    // Agents shorten a conversation by these words and numbers.
    const why = tokens === undefined ? '' : `: ${tokens.sent} tokens > ${tokens.max} maximum`;
    return { message: `prompt is too long${why}. Nothing was charged; shorten the conversation.`, cause };
  },
) {}

/** The provider refused or failed the work. The caller never sees the provider's message. */
export class ProviderFailed extends defineError(PROVIDER_ERROR, (cause?: unknown) => ({
  message:
    'The model refused or failed this call. Nothing was charged; try it again or choose another model.',
  cause,
})) {}

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
export class ProviderUnavailable extends defineError(
  PROVIDER_UNAVAILABLE,
  (cause?: unknown, retryAfterSeconds: number = 5) => ({
    message: 'The model does not answer just now. Nothing was charged; send the same call again in a moment.',
    retryAfterSeconds,
    cause,
  }),
) {}

/** The provider may have made the text, but its answer is lost. The failover asks no other route for the same work. */
export class AnswerLost extends ProviderUnavailable {}

/** The service gave the work up before a provider received or answered it, so no provider is at fault. */
export class WorkGivenUp extends ProviderUnavailable {}

/**
 * The provider may or may not have accepted the submission. The service refunds nothing until a look-up or the deadline
 * decides.
 */
export class SubmissionInDoubt extends defineError(PROVIDER_UNAVAILABLE, (cause?: unknown) => ({
  message: 'It is not known yet whether the work was accepted. Send the very same call again in a moment.',
  retryAfterSeconds: 5,
  cause,
})) {}

export const EmbedderUnavailable = defineError(PROVIDER_UNAVAILABLE, (cause?: unknown) => ({
  message: 'References cannot be searched just now. Nothing was charged; send it again in a moment.',
  retryAfterSeconds: 5,
  cause,
}));
