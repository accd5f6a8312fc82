import { type AppError, defineError } from '#kernel/app-error';
import { PROVIDER_UNAVAILABLE } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';

export const NOT_OFFERED = errorCode('NOT_OFFERED', ['not_sold', 'not_found'], {
  means: 'This service has no model of that kind. A look-up of the model answers 404, other routes 503.',
  remedy: 'Neither a retry nor another model helps. `GET /v1/agent/models` lists the models.',
});

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

/** An operator has left a model out, or switched it or all its routes off, its price waits, or no vendor has it. */
export class NothingServes extends defineError(NOT_OFFERED) {
  constructor(id = 'This model', kind: RefusedKind = 'not_sold') {
    super(`${id} is not sold at the moment. ${chargedNothing(kind)}${LISTED}`, { kind });
  }
}

interface RetiredModel {
  readonly id?: string;
  readonly isListed?: boolean;
  readonly retiresOn?: string;
  readonly replacedBy?: string;
}

const LISTED = 'GET /v1/agent/models lists what there is.';

/** A look-up never costs anything, so its answer does not say so. */
type RefusedKind = 'not_sold' | 'not_found';
const chargedNothing = (kind: string): string => (kind === 'not_found' ? '' : 'Nothing was charged; ');

const retiredAs = <Kind extends string>(
  { id = 'This model', retiresOn = 'an earlier day', replacedBy }: RetiredModel,
  kind: Kind,
) => {
  const instead =
    replacedBy === undefined ? LISTED : `${kind === 'not_found' ? 'Use' : 'use'} ${replacedBy} instead.`;
  return {
    message: `${id} retired on ${retiresOn}. ${chargedNothing(kind)}${instead}`,
    extras: { kind, ...(replacedBy === undefined ? {} : { body: { replacedBy } }) },
  };
};

/** A model of the catalog file is retired. */
export class EntryRetired extends defineError(NOT_OFFERED) {
  constructor(model: RetiredModel) {
    const { message, extras } = retiredAs(model, 'not_sold');
    super(message, extras);
  }
}

/**
 * The vendors' lists do not have the model any more, or its maker's last day for it has passed. A look-up answers so
 * for every retired model.
 */
export class ModelRetired extends defineError(
  errorCode('MODEL_RETIRED', ['gone', 'not_found'], {
    means:
      'The model is no longer made. Nothing was charged. A look-up of the model answers 404, other routes 410.',
    remedy:
      'A retry does not help. Use the model that `replacedBy` names, or one from `GET /v1/agent/models`.',
  }),
) {
  constructor(model: RetiredModel, kind: 'gone' | 'not_found' = 'gone') {
    const { message, extras } = retiredAs(model, kind);
    super(message, extras);
  }
}

/** The error for new work, or for a look-up, of a model whose last day has passed. */
export const retired = (model: RetiredModel, kind: RefusedKind = 'not_sold'): AppError => {
  if (kind === 'not_found') return new ModelRetired(model, kind);
  return model.isListed === true ? new ModelRetired(model) : new EntryRetired(model);
};

export const EmbedderUnavailable = defineError(PROVIDER_UNAVAILABLE, (cause?: unknown) => ({
  message: 'References cannot be searched just now. Nothing was charged; send it again in a moment.',
  retryAfterSeconds: 5,
  cause,
}));
