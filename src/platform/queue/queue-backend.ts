import type { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';
import {
  type ConnectionOptions,
  type PostgresPoolConfig,
  Queue,
  type QueueOptions,
  Worker,
  type WorkerOptions,
  createPostgresBackend,
  createRedisBackend,
} from 'bullmq';

import type { Settings } from '../config/settings';
import { directUrlOf } from '../database/database-url';
import { QUEUE_SCHEMA } from '../database/migrations';

/**
 * Each queue and each worker has a pool of its own, and each worker one more connection that waits for news. A tick
 * takes one connection for a moment; two let it renew its lock meanwhile.
 */
const CONNECTIONS_MAX = 2;
/** Idle ones go back to the server, but not between two looks at the schedule: to make one costs more than a look. */
const IDLE_MS = 30_000;

/** BullMQ's types name Redis only; its classes hand the connection to the backend unread. */
type AnyConnection = ConnectionOptions | PostgresPoolConfig;
type Options<T> = Omit<T, 'connection'> & { readonly connection: AnyConnection };

/** Where queues live: Redis when it is configured, else the database. */
export const queueOptions = (settings: Settings): QueueOptions => {
  const connection: AnyConnection =
    settings.redisUrl === undefined
      ? {
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

const isPostgres = (connection: AnyConnection): connection is PostgresPoolConfig =>
  'connectionString' in connection;

/** The factory is chosen for each instance: BullMQ's own default is one variable for the whole process. */
const backendOf = (connection: AnyConnection): typeof createRedisBackend =>
  isPostgres(connection)
    ? (createPostgresBackend as unknown as typeof createRedisBackend)
    : createRedisBackend;

const TROUBLE_QUIET_MS = 60_000;

/** Without a listener, BullMQ prints each lost connection raw, some of them many times a second. */
const warnOfTrouble = (instance: EventEmitter & { readonly name: string }, what: string): void => {
  const logger = new Logger('Queue');
  let quietUntil = 0;
  instance.on('error', (error: Error) => {
    if (Date.now() < quietUntil) return;
    quietUntil = Date.now() + TROUBLE_QUIET_MS;
    logger.warn(`The ${what} ${instance.name} has trouble, and goes on trying: ${error.message}`);
  });
};

/** A queue on either backend. */
export class BackedQueue extends Queue {
  constructor(name: string, options: Options<QueueOptions>) {
    const { connection } = options;
    // Redis only: who adds a job must hear at once that it failed, instead of waiting until Redis is back.
    const producing = isPostgres(connection) ? connection : { ...connection, enableOfflineQueue: false };
    super(name, { ...options, connection: producing as ConnectionOptions }, backendOf(connection));
    warnOfTrouble(this, 'queue');
  }

  /** Without the goodbye that BullMQ would send: nothing is under way by now, and a Redis that is gone can't answer it. */
  override async close(): Promise<void> {
    this.closing ??= this.getBackend().close(true);
    await this.closing;
    this.closed = true;
  }
}

/** Effects are compare-and-set in the database, so a job of a worker that died may run again as often as needed. */
const STALLED_COUNT_MAX = 100;

/** For this long nothing ticks when a worker dies between taking a tick and setting the next one, and money waits with it. */
const LOCK_MS = 10_000;
const STALLED_EVERY_MS = 5_000;

/** Below the time that a service manager gives us before it kills. */
export const CLOSE_WITHIN_MS = 20_000;
/** To say goodbye when no job runs; a backend that is gone takes no part in it. */
const GOODBYE_MS = 500;
/** After an outage; BullMQ would wait for 15 s, and money that is held waits with it. */
const RETRY_MS = 1_000;

/** A worker on either backend. */
export class BackedWorker extends Worker {
  private readonly inHand: Set<Promise<unknown>>;
  private ending?: Promise<void>;

  constructor(name: string, processor: Processor, options: Options<WorkerOptions>) {
    const { connection } = options;
    const consuming = isPostgres(connection)
      ? connection
      : { ...connection, enableOfflineQueue: true, maxRetriesPerRequest: null };
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
        connection: consuming as ConnectionOptions,
      },
      backendOf(connection),
    );
    this.inHand = inHand;
    warnOfTrouble(this, 'worker');
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
