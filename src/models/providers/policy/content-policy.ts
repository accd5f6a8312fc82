import type { OnApplicationShutdown } from '@nestjs/common';

import type { CategoryScore, Screener } from './screener';
import type { PolicyLimits, Threshold } from './policy-limits';

export type PolicyVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly category: string };

const ALLOWED: PolicyVerdict = { allowed: true };

/** The field of a model, or of a call with its price, that the policy reads. */
export interface ForAdults {
  readonly adultsOnly?: boolean;
}

/**
 * The rules for allowed content: a screener's scores, compared with the operator's thresholds. The service applies the
 * rules before it holds any money, and to results if `POLICY_RESULTS` is set.
 */
export class ContentPolicy implements OnApplicationShutdown {
  private readonly thresholds: ReadonlyMap<string, Threshold>;
  private readonly adults?: ContentPolicy;

  constructor(
    private readonly screener: Screener,
    { thresholds, adultCategories }: PolicyLimits,
    /** Whether the service screens results before a caller gets them. */
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

  /** Whether a check sends content to an outside service. A dry run skips such a check. */
  get remote(): boolean {
    return this.screener.remote;
  }

  /** The policy for a model. For a model with `adultsOnly`, it allows the operator's `adultCategories`. */
  of({ adultsOnly }: ForAdults): ContentPolicy {
    return adultsOnly === true ? (this.adults ?? this) : this;
  }

  async screenText(text: string): Promise<PolicyVerdict> {
    return this.verdictOn(await this.screener.screenText(text));
  }

  async screenImage(bytes: Buffer, mime: string): Promise<PolicyVerdict> {
    return this.verdictOn(await this.screener.screenImage(bytes, mime));
  }

  /** Checks a video only by its hash, because no screener can decode its frames. */
  async screenVideo(sha256: string): Promise<PolicyVerdict> {
    return this.verdictOn(await this.screener.screenVideo(sha256));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.screener.close();
  }

  /** A blocked verdict names the blocked category with the highest score. */
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
