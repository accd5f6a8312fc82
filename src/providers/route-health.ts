import { Injectable } from '@nestjs/common';

import type { AdapterName } from './adapters';

/** One way to a model: an adapter, and the provider's own name of the model. */
export interface ProviderRoute {
  readonly provider: AdapterName;
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
 * Rests a route that keeps failing, twice as long each time, and lets one call try it when it has rested. A model whose
 * routes all rest is still tried: a slow no is better than none.
 */
@Injectable()
export class RouteHealth {
  private readonly records = new Map<string, Record>();

  inOrder(routes: readonly ProviderRoute[]): readonly ProviderRoute[] {
    const now = Date.now();
    const awake = routes.filter((route) => (this.records.get(keyOf(route))?.restsUntil ?? 0) <= now);
    return awake.length > 0 ? awake : routes;
  }

  worked(route: ProviderRoute): void {
    this.records.delete(keyOf(route));
  }

  failed(route: ProviderRoute): void {
    const failures = (this.records.get(keyOf(route))?.failures ?? 0) + 1;
    const rest = Math.min(REST_MS_MAX, REST_MS_MIN * 2 ** (failures - FAILURES_MAX));
    this.records.set(keyOf(route), { failures, restsUntil: failures < FAILURES_MAX ? 0 : Date.now() + rest });
  }
}

const keyOf = ({ provider, model }: ProviderRoute): string => `${provider}|${model}`;
