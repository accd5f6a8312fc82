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

/** The most windows in memory. Above this number the storage drops the window that ends first. */
const WINDOWS_MAX = 100_000;

/**
 * Fixed windows in maps, one for each length. In such a map, windows end in the order in which they began. So ended ones
 * are always first, and no call looks at all windows. The library's own memory storage sets a timer per call. At some
 * thousand calls a second these timers take most of the process's time and memory.
 */
@Injectable()
export class MemoryRateStorage implements RateStorage, OnModuleDestroy {
  private readonly lengths = new Map<number, Map<string, Window>>();
  private size = 0;
  /** The number of windows that were checked to make room. A spec holds it down. */
  checked = 0;

  increment(key: string, ttl: number, limit: number): Promise<Hit> {
    return Promise.resolve(this.count(key, ttl, limit));
  }

  count(key: string, ttl: number, limit: number): Hit {
    const now = Date.now();
    const windows = this.lengths.get(ttl) ?? new Map<string, Window>();
    let window = windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      // A new window goes to the end of its map.
      if (windows.delete(key)) this.size -= 1;
      this.makeRoom(now);
      window = { hits: 0, endsAt: now + ttl };
      this.lengths.set(ttl, windows);
      windows.set(key, window);
      this.size += 1;
    }
    return new MemoryHit(window, now, limit);
  }

  onModuleDestroy(): void {
    this.lengths.clear();
    this.size = 0;
  }

  private makeRoom(now: number): void {
    let first:
      | { readonly windows: Map<string, Window>; readonly key: string; readonly endsAt: number }
      | undefined;
    for (const windows of this.lengths.values()) {
      for (const [key, { endsAt }] of windows) {
        this.checked += 1;
        if (endsAt > now) {
          if (first === undefined || endsAt < first.endsAt) first = { windows, key, endsAt };
          break;
        }
        this.drop(windows, key);
      }
    }
    // If there is still no room, that caller may make more calls than the limit.
    if (this.size >= WINDOWS_MAX && first !== undefined) this.drop(first.windows, first.key);
  }

  private drop(windows: Map<string, Window>, key: string): void {
    windows.delete(key);
    this.size -= 1;
  }
}
