import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

import { MemoryRateStorage } from './memory-rate-storage';
import { type Hit, type RateStorage, once } from './rate-storage';

/** The most time by which a slow Redis may delay a call. */
const ANSWER_MS_MAX = 250;
/** After a failure, each process counts alone for this time, so that not every call waits for the timeout of Redis. */
const PAUSE_MS = 1_000;
const RETRY_MS_MAX = 2_000;
const START_MS_MAX = 2_000;

/**
 * No count reaches this limit, so the library only counts and never blocks. Its block would start a new minute at the
 * first refusal.
 */
const NEVER = Number.MAX_SAFE_INTEGER;

const NAME = 'default';
/** The key of the library's count. */
const hitsOf = (key: string): string => `{${key}:${NAME}}:hits`;
/**
 * Decrements a count only if it exists. After its minute has ended, a decrement would begin the next minute below zero.
 */
const GIVE_BACK = `if (tonumber(redis.call('GET', KEYS[1])) or 0) > 0 then redis.call('DECR', KEYS[1]) end`;

/**
 * Counts in Redis for all processes together. While Redis is away, each process counts alone. The limits are then too
 * generous for a while, which is better than an outage.
 */
export class SharedRateStorage implements RateStorage, OnApplicationShutdown {
  private readonly logger = new Logger('RateLimits');
  private readonly shared: ThrottlerStorageRedisService;
  private readonly own = new MemoryRateStorage();
  private isAway = false;
  private pausedUntil = 0;

  constructor(private readonly redis: Redis) {
    this.shared = new ThrottlerStorageRedisService(redis);
    redis.on('error', (error: Error) => this.lose(error));
  }

  /**
   * Waits a moment for Redis, so that the first calls are also counted for all processes together. If Redis does not
   * answer, the start continues without it.
   */
  static async connect(url: string): Promise<SharedRateStorage> {
    const redis = new Redis(url, {
      commandTimeout: ANSWER_MS_MAX,
      connectTimeout: START_MS_MAX,
      enableOfflineQueue: false,
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempts) => Math.min(attempts * 100, RETRY_MS_MAX),
    });
    const storage = new SharedRateStorage(redis);
    await redis.connect().catch((error: Error) => storage.lose(error));
    return storage;
  }

  increment(key: string, ttl: number, limit: number): Promise<Hit> {
    return this.count(key, ttl, limit);
  }

  async count(key: string, ttl: number, limit: number): Promise<Hit> {
    if (Date.now() < this.pausedUntil) {
      return this.own.count(key, ttl, limit);
    }
    try {
      const { totalHits, timeToExpire } = await this.shared.increment(key, ttl, NEVER, ttl, NAME);
      this.find();
      return {
        totalHits,
        timeToExpire,
        isBlocked: totalHits > limit,
        timeToBlockExpire: timeToExpire,
        uncount: this.giverBack(key, Date.now() + timeToExpire * 1_000),
      };
    } catch (error) {
      this.lose(error as Error);
      return this.own.count(key, ttl, limit);
    }
  }

  /** The connection closes only at the end of the shutdown, because the drain still counts calls in flight. */
  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  /** No call waits for the decrement. If it fails, the hit only counts until the minute ends. */
  private giverBack(key: string, endsAt: number): () => void {
    return once(() => {
      if (Date.now() < endsAt) this.redis.eval(GIVE_BACK, 1, hitsOf(key)).catch(() => undefined);
    });
  }

  private lose(error: Error): void {
    this.pausedUntil = Date.now() + PAUSE_MS;
    if (!this.isAway) {
      this.isAway = true;
      this.logger.warn(
        { err: error },
        'Redis is unavailable: each process counts calls alone until it is back.',
      );
    }
  }

  private find(): void {
    if (this.isAway) {
      this.isAway = false;
      this.logger.log('Redis is back: calls are counted by all processes together.');
    }
  }
}
