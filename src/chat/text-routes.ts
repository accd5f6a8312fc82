import { Injectable } from '@nestjs/common';

import type { TextModel } from '../catalog/catalog';
import { AppError } from '../kernel/app-error';
import { Metrics } from '../platform/telemetry/metrics';
import { RouteHealth } from '../providers/route-health';
import { AnswerLost, ProviderUnavailable, type TextProvider } from '../providers/text-provider';
import { TextProviders } from '../providers/text-providers';

/** Brings a text call to the first route that takes it. A route is left only when it surely did not take the work. */
@Injectable()
export class TextRoutes {
  constructor(
    private readonly providers: TextProviders,
    private readonly health: RouteHealth,
    private readonly metrics: Metrics,
  ) {}

  /** `work` ends with the answer, or for a stream with its first piece: after that no other route may begin anew. */
  async first<T>(model: TextModel, work: (provider: TextProvider, model: string) => Promise<T>): Promise<T> {
    let last: AppError = new ProviderUnavailable();
    for (const route of this.health.inOrder(model.routes)) {
      const provider = this.providers.find(route.provider);
      if (provider === undefined) continue;
      try {
        const answer = await this.measured(provider, () => work(provider, route.model));
        this.health.worked(route);
        return answer;
      } catch (error) {
        last = error instanceof AppError ? error : new AnswerLost(error);
        if (last instanceof ProviderUnavailable) this.health.failed(route);
        if (last instanceof AnswerLost || !(last instanceof ProviderUnavailable)) break;
      }
    }
    throw last;
  }

  private async measured<T>({ name }: TextProvider, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } catch (error) {
      this.metrics.providerFailed(name, 'chat', error instanceof AppError ? error.code : 'timeout');
      throw error;
    } finally {
      this.metrics.providerAnswered(name, 'chat', (performance.now() - started) / 1_000);
    }
  }
}
