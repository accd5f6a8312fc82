import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { getOrMake } from '#kernel/maps';
import { type ProviderRoute, keyOf } from './route';
import { PAUSE_MS_MAX, RouteHealth } from './route-health';

const CHANNEL = 'route_pause';

/** The health of all routes as this process observed it, with the pauses that vendors asked any process for. */
@Injectable()
export class RouteRecords implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly health = new Map<string, RouteHealth>();
  private stop?: () => Promise<void>;

  constructor(private readonly db: Database) {}

  async onApplicationBootstrap(): Promise<void> {
    this.stop = await this.db.listen(CHANNEL, (payload) => this.keepPause(payload));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop?.();
  }

  /** Routes come from the catalog, so this map stays small. */
  of(route: ProviderRoute): RouteHealth {
    return getOrMake(this.health, keyOf(route), () => new RouteHealth());
  }

  /**
   * Records that a vendor's rate limit refused a call and named a time to wait. Every process keeps this pause. The
   * message contains a duration instead of a time, because clocks differ.
   */
  pause(route: ProviderRoute, ms: number): void {
    const bounded = Math.min(PAUSE_MS_MAX, Math.max(0, ms));
    if (!this.of(route).pause(bounded, Date.now())) return;
    const payload = JSON.stringify({ provider: route.provider, model: route.model, ms: bounded });
    // If this message is lost, each other process gets one refusal before it pauses.
    this.db.notify(CHANNEL, payload).catch(() => undefined);
  }

  private keepPause(payload: string): void {
    const { ms, ...route } = JSON.parse(payload) as ProviderRoute & { readonly ms: number };
    this.of(route).pause(ms, Date.now());
  }
}
