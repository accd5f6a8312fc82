import { AppError } from '../kernel/app-error';
import type { MaybePromise } from '../kernel/maybe-promise';

export type PolicyVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly category: string };

export const ALLOWED: PolicyVerdict = { allowed: true };

/** What may be made here. It is asked before any money is held. */
export abstract class ContentPolicy {
  /** Whether asking it sends anything outside; a dry run then leaves it out. */
  abstract readonly remote: boolean;

  abstract screenText(text: string): MaybePromise<PolicyVerdict>;

  abstract screenImage(bytes: Buffer, mime: string): Promise<PolicyVerdict>;

  /** Videos are known by their hash only: nothing here can decode one, so no picture of it is looked at. */
  abstract screenVideo(sha256: string): Promise<PolicyVerdict>;
}

export class PolicyBlocked extends AppError {
  readonly kind = 'policy_blocked';
  readonly code = 'POLICY_BLOCKED';

  constructor(param: string, category: string) {
    super(`The content policy does not allow this ${param} (${category}). Nothing was charged.`, { param });
  }
}

export class PolicyUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PROVIDER_UNAVAILABLE';

  constructor(cause?: unknown) {
    super('Content can not be screened just now. Nothing was held; send the same call again in a moment.', {
      retryAfterSeconds: 5,
      cause,
    });
  }
}
