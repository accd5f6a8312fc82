import { Injectable } from '@nestjs/common';

import type { AudioModel } from '#models/catalog/catalog-models';
import type { Micro } from '#kernel/money';
import { VendorCosts } from '#money/margins/vendor-costs';
import { ProvidersMetrics } from '#models/providers/providers.metrics';
import type { AudioProvider } from '#models/providers/audio-provider';
import type { Attempt } from '#models/providers/attempts';
import { Providers } from '#models/providers/providers';
import { answerOf } from '#models/providers/routing/answer-of';
import { Failover } from '#models/providers/routing/failover';
import type { ProviderRoute } from '#models/providers/routing/route';

interface AudioCall {
  /** The name of the work in the metrics. */
  readonly work: 'speech' | 'transcription';
  readonly attempts: Attempt[];
  /** The cost of the call, from the provider's price of a unit. */
  readonly cost: (unit: Micro) => Micro;
}

/** Sends an audio call to the first route of its model that accepts it, and notes what it cost. */
@Injectable()
export class AudioSubmission {
  constructor(
    private readonly providers: Providers,
    private readonly failover: Failover,
    private readonly metrics: ProvidersMetrics,
    private readonly costs: VendorCosts,
  ) {}

  submit<T>(
    model: AudioModel,
    call: AudioCall,
    work: (provider: AudioProvider, route: ProviderRoute) => Promise<T>,
  ): Promise<T> {
    const { attempts } = call;
    return this.failover.first(model, { work: 'answer', attempts }, (route) =>
      this.at(route, model, call, work),
    );
  }

  private async at<T>(
    route: ProviderRoute,
    model: AudioModel,
    call: AudioCall,
    work: (provider: AudioProvider, route: ProviderRoute) => Promise<T>,
  ): Promise<T> {
    const { provider, model: providerModel } = route;
    const answer = await answerOf(this.providers.audio(provider), this.metrics, call.work, (adapter) =>
      work(adapter, route),
    );
    const cost = call.cost(route.costs?.get('default') ?? model.unitCost);
    this.costs.note({ provider, providerModel, modelId: model.id, cost, isReported: false });
    return answer;
  }
}
