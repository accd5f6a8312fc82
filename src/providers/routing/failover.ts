import { Injectable } from '@nestjs/common';

import { noteInTrace } from '../../platform/telemetry/traces';
import { pauseMsOf } from '../http/provider-fault';
import { AnswerLost, NotServed, NothingServes, ProviderUnavailable, WorkGivenUp } from '../providers.errors';
import { type ProviderRoute, type RoutedModel, isRetired } from './route';
import { type OrderedCall, inOrder } from './route-order';
import { RouteRecords } from './route-records';

/**
 * Sends work to the first route that accepts it. A route that keeps failing rests, twice as long each time; then one call
 * tries it. If all routes of a model rest, they are asked all the same: a slow failure is better than none. A pause that a
 * vendor asked for is kept.
 */
@Injectable()
export class Failover {
  constructor(private readonly records: RouteRecords) {}

  /**
   * The next route is used only if this one certainly did not accept the work. A lost answer or a refusal ends the
   * call.
   */
  async first<T>(
    model: RoutedModel,
    call: OrderedCall,
    work: (route: ProviderRoute) => Promise<T>,
  ): Promise<T> {
    if (model.routes.length === 0) throw new NothingServes();
    if (isRetired(model, Date.now())) throw new NothingServes(model.replacedBy);
    const tried: string[] = [];
    let last: unknown;
    try {
      for (const route of this.choose(model, call)) {
        tried.push(route.provider);
        const health = this.records.of(route);
        const started = performance.now();
        health.begin(Date.now());
        try {
          const answer = await work(route);
          health.answered(call.work, performance.now() - started, Date.now());
          return answer;
        } catch (error) {
          if (error instanceof NotServed) {
            health.abstain();
            last ??= error; // The provider is healthy; it only does not serve this request.
            continue;
          }
          last = error;
          if (!(error instanceof ProviderUnavailable) || error instanceof WorkGivenUp) {
            health.abstain();
            break;
          }
          health.failed(Date.now());
          const pauseMs = pauseMsOf(error);
          if (pauseMs !== undefined) this.records.pause(route, pauseMs);
          if (error instanceof AnswerLost) break;
        }
      }
    } finally {
      noteInTrace({ 'lamppost.routing': model.routing ?? 'listed', 'lamppost.routes': tried });
    }
    throw last ?? new ProviderUnavailable();
  }

  private choose(model: RoutedModel, call: OrderedCall): readonly ProviderRoute[] {
    const now = Date.now();
    const healthOf = (route: ProviderRoute) => this.records.of(route);
    const isPaused = (route: ProviderRoute): boolean => healthOf(route).state(now) === 'paused';
    const ready = model.routes.filter((route) => healthOf(route).isReady(now));
    const routes = ready.length > 0 ? ready : model.routes.filter((route) => !isPaused(route));
    if (routes.length === 0) {
      const waitMs = Math.min(...model.routes.map((route) => healthOf(route).pausedMs(now)));
      throw new ProviderUnavailable(undefined, Math.max(1, Math.ceil(waitMs / 1_000)));
    }
    return inOrder(model, routes, call, healthOf, now);
  }
}
