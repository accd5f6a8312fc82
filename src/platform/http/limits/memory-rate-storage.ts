import { Injectable, type OnModuleDestroy } from '@nestjs/common';

import type { Hit, RateStorage } from './rate-storage';

interface Window {
  hits: number;
  readonly endsAt: number;
}

class MemoryHit implements Hit {
  readonly totalHits: number;
  readonly timeToExpire: number;
  readonly isBlocked: boolean;
  private isBack = false;

  constructor(
    private readonly window: Window,
    now: number,
    limit: number,
  ) {
    window.hits += 1;
    this.totalHits = window.hits;
    this.isBlocked = window.hits > limit;
    this.timeToExpire = Math.max(1, Math.ceil((window.endsAt - now) / 1_000));
  }

  get timeToBlockExpire(): number {
    return this.timeToExpire;
  }

  uncount(): void {
    if (!this.isBack) this.window.hits -= 1;
    this.isBack = true;
  }
}

/** The most windows in memory. Above this number the storage drops ended windows. */
const WINDOWS_MAX = 100_000;

/**
 * Fixed windows in a map. The library's own memory storage sets a timer per call. At some thousand calls a second
 * these timers take most of the process's time and memory.
 */
@Injectable()
export class MemoryRateStorage implements RateStorage, OnModuleDestroy {
  private readonly windows = new Map<string, Window>();

  increment(key: string, ttl: number, limit: number): Promise<Hit> {
    return Promise.resolve(this.count(key, ttl, limit));
  }

  count(key: string, ttl: number, limit: number): Hit {
    const now = Date.now();
    let window = this.windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      this.makeRoom(now);
      window = { hits: 0, endsAt: now + ttl };
      this.windows.set(key, window);
    }
    return new MemoryHit(window, now, limit);
  }

  onModuleDestroy(): void {
    this.windows.clear();
  }

  private makeRoom(now: number): void {
    if (this.windows.size < WINDOWS_MAX) {
      return;
    }
    for (const [key, window] of this.windows) {
      if (window.endsAt <= now) this.windows.delete(key);
    }
    // If no window has ended, it drops the oldest one. That caller then may make more calls than the limit.
    for (const key of this.windows.keys()) {
      if (this.windows.size < WINDOWS_MAX) break;
      this.windows.delete(key);
    }
  }
}
