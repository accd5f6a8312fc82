import { Injectable, Logger } from '@nestjs/common';

import { WorkInDoubt } from '#money/billing/charges/in-doubt.errors';
import type { MediaModel } from '#models/catalog/catalog-models';
import { tokensPrice } from '#models/catalog/chat-price-calculator';
import { covering, fitting, mediaCost } from '#models/catalog/route-costs';
import type { Micro } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { retryDuringOutage } from '#platform/database/retry-during-outage';
import { ProvidersMetrics } from '#models/providers/providers.metrics';
import type { MediaRequest } from '#models/providers/media-provider';
import type { TextUsage } from '#models/providers/text-provider';
import { Providers } from '#models/providers/providers';
import {
  ProviderFailed,
  ProviderUnavailable,
  SubmissionInDoubt,
  WorkGivenUp,
} from '#models/providers/providers.errors';
import type { Attempt } from '#models/providers/attempts';
import { Failover } from '#models/providers/routing/failover';
import type { ProviderRoute } from '#models/providers/routing/route';
import type { JobDraft } from './job';
import { JobRepository } from './job.repository';

const SUBMIT_MS_MAX = 30_000;

export type SubmittedMedia = Omit<MediaRequest, 'model' | 'ourId' | 'billOf'>;

/** A job for a vendor. The price of its call must cover what the vendor bills for its prompt. */
export type SoldJob = JobDraft & { readonly price: Micro };

/** Submits a job to the first route of its model that accepts it. */
@Injectable()
export class JobSubmission {
  private readonly logger = new Logger(JobSubmission.name);

  constructor(
    private readonly jobs: JobRepository,
    private readonly providers: Providers,
    private readonly failover: Failover,
    private readonly metrics: ProvidersMetrics,
  ) {}

  async submit(
    draft: SoldJob,
    model: MediaModel,
    media: SubmittedMedia,
    attempts?: Attempt[],
  ): Promise<void> {
    try {
      const able = covering(fitting(model, media), media, draft);
      await this.failover.first(able, { work: 'submission', attempts }, (route) =>
        this.submitTo(route, draft, media, mediaCost(route, media, draft.cost)),
      );
    } catch (error) {
      if (error instanceof SubmissionInDoubt) {
        throw new WorkInDoubt(error); // The job stays open: a look-up or its deadline decides.
      }
      await this.jobs.failed(draft.id, 'NOT_SUBMITTED');
      throw error;
    }
  }

  private async submitTo(
    route: ProviderRoute,
    draft: JobDraft,
    media: SubmittedMedia,
    cost: Micro | undefined,
  ): Promise<void> {
    const provider = this.providers.media(route.provider);
    if (provider === undefined) throw new ProviderUnavailable();
    if (!(await this.jobs.open(draft, route, cost))) throw new WorkGivenUp();
    try {
      await this.metrics.counted(route.provider, 'submit', async () => {
        const signal = AbortSignal.timeout(Math.min(SUBMIT_MS_MAX, draft.deadlineSeconds * 1_000));
        const billOf = ifPresent(
          route.prices,
          (prices) => (tokens: TextUsage) => tokensPrice(prices, tokens),
        );
        const { providerRef } = await provider.submit(
          { ...media, model: route.model, ourId: draft.id, billOf },
          signal,
        );
        // Retried, because some providers offer no later look-up of the work.
        if (await retryDuringOutage(() => this.jobs.accepted(draft.id, providerRef, provider.pollMs))) return;
        this.logger.warn(
          { jobId: draft.id },
          'A job was given up while it was submitted; its operation is stopped.',
        );
        this.metrics.failed(route.provider, 'submit', 'orphan');
        await provider
          .stop(providerRef, route.model, AbortSignal.timeout(SUBMIT_MS_MAX))
          .catch(() => undefined);
        throw new WorkGivenUp();
      });
    } catch (error) {
      // Any other error may have happened after the provider had accepted the work.
      throw error instanceof ProviderFailed ||
        error instanceof ProviderUnavailable ||
        error instanceof SubmissionInDoubt
        ? error
        : new SubmissionInDoubt(error);
    }
  }
}
