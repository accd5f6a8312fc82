import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

import { MemoryRateStorage } from './memory-rate-storage';
import { type Hit, type RateStorage, once } from './rate-storage';

/** A limit must never delay a call by more than this, however slow Redis is. */
const ANSWER_MS_MAX = 250;
/** Redis is skipped for this long after a failure, so that not every call waits for it in vain. */
const REST_MS = 1_000;
const RETRY_MS_MAX = 2_000;
const START_MS_MAX = 2_000;

/** Above every count, so that the library only counts: its own block starts a new minute at the first refusal. */
const NEVER = Number.MAX_SAFE_INTEGER;

const NAME = 'default';
/** The key of the library's count. */
const hitsOf = (key: string): string => `{${key}:${NAME}}:hits`;
/** An ended minute is gone, and must not begin below zero. */
const GIVE_BACK = `if (tonumber(redis.call('GET', KEYS[1])) or 0) > 0 then redis.call('DECR', KEYS[1]) end`;

/**
 * Counts in Redis, together with all other processes. While Redis is away each process counts alone: a limit that is
 * too generous for a while is better than a service that is down.
 */
export class SharedRateStorage implements RateStorage, OnApplicationShutdown {
  private readonly logger = new Logger('RateLimits');
  private readonly shared: ThrottlerStorageRedisService;
  private readonly own = new MemoryRateStorage();
  private isAway = false;
  private restsUntil = 0;

  constructor(private readonly redis: Redis) {
    this.shared = new ThrottlerStorageRedisService(redis);
    redis.on('error', (error: Error) => this.lose(error));
  }

  /** Waits a moment for Redis, so that the first calls are counted together too; continues without it. */
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
    if (Date.now() < this.restsUntil) {
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

  /** Not sooner: calls in flight are still counted while the service drains. */
  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  /** No call waits for this, because a hit that counts until its minute ends does no harm. */
  private giverBack(key: string, endsAt: number): () => void {
    return once(() => {
      if (Date.now() < endsAt) this.redis.eval(GIVE_BACK, 1, hitsOf(key)).catch(() => undefined);
    });
  }

  private lose(error: Error): void {
    this.restsUntil = Date.now() + REST_MS;
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
