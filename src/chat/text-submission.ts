import { Injectable } from '@nestjs/common';

import type { TextModel } from '../catalog/catalog';
import { textCost } from '../catalog/route-costs';
import { AppError, InvalidRequest } from '../kernel/app-error';
import { VendorCosts } from '../margins/vendor-costs';
import { Metrics } from '../platform/telemetry/metrics';
import { reasonOf } from '../providers/http/provider-fault';
import { Providers } from '../providers/providers';
import { AnswerLost, NotServed, ProviderUnavailable } from '../providers/providers.errors';
import { Failover } from '../providers/routing/failover';
import type { ProviderRoute } from '../providers/routing/route';
import type { OrderedCall } from '../providers/routing/route-order';
import type { TextProvider, TextUsage } from '../providers/text-provider';

type TextWork<T> = (provider: TextProvider, route: ProviderRoute) => Promise<T>;

/** Brings a text call to the first route of its model that takes it. */
@Injectable()
export class TextSubmission {
  constructor(
    private readonly providers: Providers,
    private readonly failover: Failover,
    private readonly metrics: Metrics,
    private readonly costs: VendorCosts,
  ) {}

  /** `work` ends with the answer, or for a stream with its first piece: after that no other route may begin. */
  async submit<T>(
    model: TextModel,
    call: OrderedCall,
    work: TextWork<T>,
    nameOf = (param: string): string => param,
  ): Promise<T> {
    try {
      return await this.failover.first(model, call, (route) => this.at(route, work));
    } catch (error) {
      if (!(error instanceof NotServed) || error.param === undefined) throw error;
      const param = nameOf(error.param);
      throw new InvalidRequest(`${model.id} does not know what ${param} asks for.`, { param });
    }
  }

  /** The cost of an answer, once its vendor has counted it. */
  noteCost(model: TextModel, route: ProviderRoute, usage: TextUsage): void {
    const { provider, model: providerModel } = route;
    this.costs.note({ provider, providerModel, modelId: model.id, ...textCost(model.rates, route, usage) });
  }

  private async at<T>(route: ProviderRoute, work: TextWork<T>): Promise<T> {
    const provider = this.providers.text(route.provider);
    if (provider === undefined) throw new ProviderUnavailable();
    const { name } = provider;
    const started = performance.now();
    try {
      return await work(provider, route);
    } catch (error) {
      if (!(error instanceof NotServed)) {
        this.metrics.providerFailed(name, 'chat', reasonOf(error));
      }
      throw error instanceof AppError ? error : new AnswerLost(error);
    } finally {
      this.metrics.providerAnswered(name, 'chat', (performance.now() - started) / 1_000);
    }
  }
}
