import { Injectable } from '@nestjs/common';

import type { TextModel } from '#models/catalog/catalog-models';
import { textCost } from '#models/catalog/route-costs';
import { InvalidRequest } from '#kernel/app-error';
import { VendorCosts } from '#money/margins/vendor-costs';
import { ProvidersMetrics } from '#models/providers/providers.metrics';
import { Providers } from '#models/providers/providers';
import { ContextTooLong, NotServed, WorkGivenUp } from '#models/providers/providers.errors';
import { answerOf } from '#models/providers/routing/answer-of';
import { Failover } from '#models/providers/routing/failover';
import type { ProviderRoute } from '#models/providers/routing/route';
import type { UnhedgedCall } from '#models/providers/routing/route-order';
import type { TextProvider, TextUsage } from '#models/providers/text-provider';

/** `signal` is aborted when another route answers first. */
type TextWork<T> = (provider: TextProvider, route: ProviderRoute, signal?: AbortSignal) => Promise<T>;

interface TextCall<T> extends UnhedgedCall {
  /** An estimate of the prompt's tokens, which a vendor may bill although its answer is not used. */
  readonly promptTokens: number;
  /** Ends the work of an unused answer. */
  readonly discard: (answer: T) => void;
}

/** Failures for which no provider is at fault. */
const CALLERS = [NotServed, ContextTooLong, WorkGivenUp] as const;

/** Sends a text call to the first route of its model that accepts it. */
@Injectable()
export class TextSubmission {
  constructor(
    private readonly providers: Providers,
    private readonly failover: Failover,
    private readonly metrics: ProvidersMetrics,
    private readonly costs: VendorCosts,
  ) {}

  /** `work` resolves with the answer, or with the first piece of a stream. After that, no other route is tried. */
  async submit<T>(
    model: TextModel,
    { promptTokens, discard, ...call }: TextCall<T>,
    work: TextWork<T>,
  ): Promise<T> {
    try {
      const { hedgeAfterMs: afterMs } = model;
      const lost = (route: ProviderRoute): void =>
        this.noteCost(model, route, { promptTokens, completionTokens: 0 }, true);
      const hedge = afterMs === undefined ? undefined : { afterMs, discard, lost };
      return await this.failover.first(model, { ...call, hedge }, (route, signal) =>
        this.at(route, work, signal),
      );
    } catch (error) {
      if (!(error instanceof NotServed) || error.param === undefined) throw error;
      const { param } = error;
      throw new InvalidRequest(`${model.id} does not know what ${param} asks for.`, { param });
    }
  }

  /** Records the vendor's cost of an answer. An unused answer is one that the caller did not get. */
  noteCost(model: TextModel, route: ProviderRoute, usage: TextUsage, isUnused = false): void {
    const { provider, model: providerModel } = route;
    const cost = textCost(model.rates, route, usage);
    this.costs.note({ provider, providerModel, modelId: model.id, ...cost, isUnused });
  }

  private at<T>(route: ProviderRoute, work: TextWork<T>, signal: AbortSignal | undefined): Promise<T> {
    const call = (provider: TextProvider) => work(provider, route, signal);
    const options = { callers: CALLERS, signal };
    return answerOf(this.providers.text(route.provider), this.metrics, 'chat', call, options);
  }
}
