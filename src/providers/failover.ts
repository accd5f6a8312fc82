import { Injectable } from '@nestjs/common';

import { type Attempt, noteAttempt } from './attempts';
import { AnswerLost, NotServed, NothingServes, ProviderUnavailable, WorkGivenUp } from './providers.errors';
import type { ProviderName } from './provider-name';

/** One way to a model: a provider, and its own name of the model. */
export interface ProviderRoute {
  readonly provider: ProviderName;
  readonly model: string;
}

const FAILURES_MAX = 3;
const REST_MS_MIN = 5_000;
const REST_MS_MAX = 300_000;

interface Record {
  failures: number;
  restsUntil: number;
}

/**
 * Sends work to the first route that accepts it. A route that keeps failing is skipped, twice as long each time; then
 * one call tries it. If all routes of a model are skipped, one is tried all the same: a slow failure is better than
 * none.
 */
@Injectable()
export class Failover {
  private readonly records = new Map<string, Record>();

  /**
   * The next route is used only if this one certainly did not accept the work. A lost answer or a refusal ends the
   * call.
   */
  async first<T, Route extends ProviderRoute>(
    routes: readonly Route[],
    work: (route: Route) => Promise<T>,
  ): Promise<T> {
    if (routes.length === 0) throw new NothingServes();
    let last: unknown;
    for (const route of this.inOrder(routes)) {
      const startedAt = performance.now();
      try {
        const answer = await work(route);
        this.records.delete(keyOf(route));
        noteAttempt('accepted', startedAt);
        return answer;
      } catch (error) {
        noteAttempt(outcomeOf(error), startedAt);
        if (error instanceof NotServed) {
          last ??= error; // The provider is healthy; it only does not serve this request.
          continue;
        }
        last = error;
        if (!(error instanceof ProviderUnavailable) || error instanceof WorkGivenUp) break;
        this.failed(route);
        if (error instanceof AnswerLost) break;
      }
    }
    throw last ?? new ProviderUnavailable();
  }

  private inOrder<Route extends ProviderRoute>(routes: readonly Route[]): readonly Route[] {
    const now = Date.now();
    const awake = routes.filter((route) => (this.records.get(keyOf(route))?.restsUntil ?? 0) <= now);
    return awake.length > 0 ? awake : routes;
  }

  private failed(route: ProviderRoute): void {
    const failures = (this.records.get(keyOf(route))?.failures ?? 0) + 1;
    const rest = Math.min(REST_MS_MAX, REST_MS_MIN * 2 ** (failures - FAILURES_MAX));
    this.records.set(keyOf(route), { failures, restsUntil: failures < FAILURES_MAX ? 0 : Date.now() + rest });
  }
}

const outcomeOf = (error: unknown): Attempt['outcome'] => {
  if (error instanceof NotServed) return 'unserved';
  const endsTheCall = error instanceof WorkGivenUp || error instanceof AnswerLost;
  return error instanceof ProviderUnavailable && !endsTheCall ? 'unavailable' : 'failed';
};

const keyOf = ({ provider, model }: ProviderRoute): string => `${provider}|${model}`;
