import { defineError } from '#kernel/app-error';
import { PROVIDER_UNAVAILABLE } from '#kernel/common-codes';
import { errorCode } from '#kernel/error-code';

const POLICY_BLOCKED = errorCode('POLICY_BLOCKED', 'policy_blocked', {
  means: 'The content policy of this service does not allow this request.',
  remedy: 'Ask for something else. The same words are always refused. Nothing is charged.',
});

export class PolicyBlocked extends defineError(POLICY_BLOCKED) {
  constructor(
    param: string,
    readonly category: string,
  ) {
    super(`The content policy does not allow this ${param} (${category}). Nothing was charged.`, { param });
  }
}

/** A model made a result that the policy does not allow. No caller gets this result. */
export class ResultBlocked extends defineError(POLICY_BLOCKED) {
  constructor(readonly category: string) {
    super(blockedResult(category));
  }
}

export const blockedResult = (category: string): string =>
  `The model made something that the content policy does not allow (${category}). Nothing was charged.`;

export const PolicyUnavailable = defineError(PROVIDER_UNAVAILABLE, (cause?: unknown) => ({
  message: 'Content cannot be screened just now. Nothing was held; send the same call again in a moment.',
  retryAfterSeconds: 5,
  cause,
}));
