import { setTimeout as pause } from 'node:timers/promises';

import {
  type ConnectionOptions,
  type PostgresPoolConfig,
  type QueueOptions,
  Worker,
  type WorkerOptions,
  createPostgresBackend,
  createRedisBackend,
  setDefaultBackendFactory,
} from 'bullmq';
import { Client, type ClientConfig } from 'pg';

import type { Settings } from '../config/settings';
import { directUrlOf } from '../database/database-url';
import { QUEUE_SCHEMA } from '../database/migrations';

/**
 * Each queue and each worker has a pool of its own, and each worker one more connection that waits for news. A job
 * takes one connection for a moment; two let the worker renew locks meanwhile.
 */
const CONNECTIONS_MAX = 2;
/** Idle ones go back to the server, but not between two looks at the schedule: to make one costs more than a look. */
const IDLE_MS = 30_000;

/**
 * BullMQ takes a connection out of its pool without listening to it. An error that nobody hears would end the process, as
 * when the database is lost during the start.
 */
class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/** BullMQ's types name Redis only; its classes hand the connection to the backend unread. */
type AnyConnection = ConnectionOptions | PostgresPoolConfig;

/** Where queues live: Redis when it is configured, else the database. */
export const queueOptions = (settings: Settings): QueueOptions => {
  const connection: AnyConnection =
    settings.redisUrl === undefined
      ? {
          Client: HeardClient,
          connectionString: directUrlOf(settings),
          schema: QUEUE_SCHEMA,
          max: CONNECTIONS_MAX,
          connectionTimeoutMillis: 5_000,
          idleTimeoutMillis: IDLE_MS,
          application_name: 'lamppost queue',
        }
      : { url: settings.redisUrl, disconnectTimeout: 200 };
  return {
    prefix: 'lamppost',
    connection: connection as ConnectionOptions,
    // Rows hold the truth, so a job that is over is worth nothing; some failed ones are kept for reading.
    defaultJobOptions: {
      removeOnComplete: true,
      removeOnFail: 100,
      attempts: 3,
      backoff: { type: 'exponential', delay: 1_000 },
    },
  };
};

/**
 * BullMQ's own classes choose their backend by it, so a queue, worker or flow of any module is on ours, whatever was
 * imported first.
 */
const backendOf: typeof createRedisBackend = (name, options, extra = {}) => {
  const connection: AnyConnection = options.connection;
  if ('connectionString' in connection) {
    return (createPostgresBackend as unknown as typeof createRedisBackend)(name, options, extra);
  }
  if (!('url' in connection)) return createRedisBackend(name, options, extra);
  // A worker waits for Redis; the caller that adds a job hears at once that Redis is away.
  const waits = extra.blocking === true || extra.withBlockingConnection === true;
  const patience = waits ? { maxRetriesPerRequest: null } : {};
  const ours = { ...connection, enableOfflineQueue: waits, ...patience } as ConnectionOptions;
  return createRedisBackend(name, { ...options, connection: ours }, extra);
};
setDefaultBackendFactory(backendOf);

/** Effects are compare-and-set in the database, so a job of a worker that died may run again as often as needed. */
const STALLED_COUNT_MAX = 100;

/** For this long nobody else takes the job of a worker that died, and money waits with it. */
const LOCK_MS = 10_000;
const STALLED_EVERY_MS = 5_000;

/** Below the time that a service manager gives us before it kills. */
const CLOSE_WITHIN_MS = 20_000;
/** To say goodbye when no job runs; a backend that is gone takes no part in it. */
const GOODBYE_MS = 500;
/** After an outage; BullMQ would wait for 15 s, and money that is held waits with it. */
const RETRY_MS = 1_000;

/** A worker that outlasts outages and stops in time. */
export class BackedWorker extends Worker {
  private readonly inHand: Set<Promise<unknown>>;
  private ending?: Promise<void>;

  constructor(name: string, processor: Processor, options: WorkerOptions) {
    const inHand = new Set<Promise<unknown>>();
    super(
      name,
      (...job) => {
        const work = processor(...job);
        inHand.add(work);
        return work.finally(() => inHand.delete(work));
      },
      {
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_EVERY_MS,
        maxStalledCount: STALLED_COUNT_MAX,
        runRetryDelay: RETRY_MS,
        ...options,
      },
    );
    this.inHand = inHand;
  }

  /** BullMQ pauses only when a connection is refused; any other trouble (a server that starts up, say) it would meet with a loop. */
  protected override async moveToActive(
    ...args: Parameters<Worker['moveToActive']>
  ): ReturnType<Worker['moveToActive']> {
    try {
      return await super.moveToActive(...args);
    } catch (error) {
      if (this.closing === undefined) await pause(RETRY_MS, undefined, { ref: false });
      throw error;
    }
  }

  /**
   * Waits for jobs that run, but not for ever: what is cut off here runs again in another process. Nest closes each
   * worker once more when all is shut; that one must not wait anew for what the first has cut off.
   */
  override close(force = false): Promise<void> {
    this.ending ??= this.closeInTime(force);
    return this.ending;
  }

  private async closeInTime(force: boolean): Promise<void> {
    const closed = super.close(force).then(() => true);
    const late = (milliseconds: number): Promise<boolean> => pause(milliseconds, false, { ref: false });
    const idle = Promise.allSettled(this.inHand).then(() => late(GOODBYE_MS));
    if (await Promise.race([closed, idle, late(CLOSE_WITHIN_MS)])) return;
    await this.getBackend().close(true);
    await this.lockManager.close(); // Its timer would keep the process alive.
  }
}

/** BullMQ would also take the name of a file to run; Nest hands over functions only. */
type Processor = Extract<ConstructorParameters<typeof Worker>[1], (...job: never[]) => Promise<unknown>>;
