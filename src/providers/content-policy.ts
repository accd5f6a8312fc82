import type { OnApplicationShutdown } from '@nestjs/common';

import { AppError } from '../kernel/app-error';
import { type MaybePromise, whenReady } from '../kernel/maybe-promise';
import type { PolicyLimits, Threshold } from '../platform/config/policy-limits';
import type { CategoryScore, Screener } from './policy/screener';

export type PolicyVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly category: string };

const ALLOWED: PolicyVerdict = { allowed: true };

/** A model, or a call with its price, with the fields that the policy reads. */
export interface ForAdults {
  readonly adultsOnly?: boolean;
}

/**
 * The rules for allowed content: a screener's scores, compared with the thresholds of the operator. They are checked
 * before any money is held and, if the operator wants it, again on results.
 */
export class ContentPolicy implements OnApplicationShutdown {
  private readonly thresholds: ReadonlyMap<string, Threshold>;
  private readonly adults?: ContentPolicy;

  constructor(
    private readonly screener: Screener,
    { thresholds, adultCategories }: PolicyLimits,
    /** Whether results are screened before a caller gets them. */
    readonly screensResults = false,
  ) {
    this.thresholds = thresholds;
    if (adultCategories.size > 0) {
      const relaxed = new Map<string, Threshold>(thresholds);
      for (const category of adultCategories) relaxed.set(category, 'off');
      this.adults = new ContentPolicy(
        screener,
        { thresholds: relaxed, adultCategories: new Set() },
        screensResults,
      );
    }
  }

  /** Whether a check sends content to an outside service; a dry run then skips it. */
  get remote(): boolean {
    return this.screener.remote;
  }

  /** The policy for a model: some categories are allowed by models for adults only. */
  of({ adultsOnly }: ForAdults): ContentPolicy {
    return adultsOnly === true ? (this.adults ?? this) : this;
  }

  screenText(text: string): MaybePromise<PolicyVerdict> {
    return whenReady(this.screener.screenText(text), (scores) => this.verdictOn(scores));
  }

  async screenImage(bytes: Buffer, mime: string): Promise<PolicyVerdict> {
    return this.verdictOn(await this.screener.screenImage(bytes, mime));
  }

  /** Videos are checked only by their hash, because nothing here can decode their frames. */
  async screenVideo(sha256: string): Promise<PolicyVerdict> {
    return this.verdictOn(await this.screener.screenVideo(sha256));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.screener.close();
  }

  /** The category that applies most strongly among the blocked ones. */
  private verdictOn(scores: readonly CategoryScore[]): PolicyVerdict {
    let worst: CategoryScore | undefined;
    for (const each of scores) {
      if (this.isBlocked(each) && (worst === undefined || each.score > worst.score)) worst = each;
    }
    return worst === undefined ? ALLOWED : { allowed: false, category: worst.category };
  }

  private isBlocked({ category, score, flagged }: CategoryScore): boolean {
    const threshold = this.thresholds.get(category);
    return threshold === undefined ? flagged : threshold !== 'off' && score >= threshold;
  }
}

export class PolicyBlocked extends AppError {
  readonly kind = 'policy_blocked';
  readonly code = 'POLICY_BLOCKED';

  constructor(
    param: string,
    readonly category: string,
  ) {
    super(`The content policy does not allow this ${param} (${category}). Nothing was charged.`, { param });
  }
}

/** A model has made a result that the policy does not allow. Nobody gets it. */
export class ResultBlocked extends AppError {
  readonly kind = 'policy_blocked';
  readonly code = 'POLICY_BLOCKED';

  constructor(readonly category: string) {
    super(blockedResult(category));
  }
}

export const blockedResult = (category: string): string =>
  `The model made something that the content policy does not allow (${category}). Nothing was charged.`;

export class PolicyUnavailable extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'PROVIDER_UNAVAILABLE';

  constructor(cause?: unknown) {
    super('Content cannot be screened just now. Nothing was held; send the same call again in a moment.', {
      retryAfterSeconds: 5,
      cause,
    });
  }
}
