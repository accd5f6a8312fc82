import { Injectable } from '@nestjs/common';

import type { TextModel } from '../catalog/catalog';
import { AppError, InvalidRequest } from '../kernel/app-error';
import { Metrics } from '../platform/telemetry/metrics';
import { reasonOf } from '../providers/http/provider-fault';
import { Providers } from '../providers/providers';
import { AnswerLost, NotServed, ProviderUnavailable } from '../providers/providers.errors';
import { Failover } from '../providers/routing/failover';
import type { ProviderRoute } from '../providers/routing/route';
import type { OrderedCall } from '../providers/routing/route-order';
import type { TextProvider } from '../providers/text-provider';

/** Brings a text call to the first route of its model that takes it. */
@Injectable()
export class TextSubmission {
  constructor(
    private readonly providers: Providers,
    private readonly failover: Failover,
    private readonly metrics: Metrics,
  ) {}

  /** `work` ends with the answer, or for a stream with its first piece: after that no other route may begin. */
  async submit<T>(
    model: TextModel,
    call: OrderedCall,
    work: (provider: TextProvider, model: string) => Promise<T>,
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

  private async at<T>(
    route: ProviderRoute,
    work: (provider: TextProvider, model: string) => Promise<T>,
  ): Promise<T> {
    const provider = this.providers.text(route.provider);
    if (provider === undefined) throw new ProviderUnavailable();
    const { name } = provider;
    const started = performance.now();
    try {
      return await work(provider, route.model);
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
