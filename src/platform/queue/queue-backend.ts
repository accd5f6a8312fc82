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
import { databaseUrlOf } from '../database/database-url';
import { QUEUE_SCHEMA } from '../database/migrations';

/**
 * Each queue and each worker has a pool of its own, and each worker one more connection that waits for news. A tick
 * takes one connection for a moment; two let it renew its lock meanwhile. Idle ones go back to the server.
 */
const CONNECTIONS_MAX = 2;

/** BullMQ's types name Redis only; its classes hand the connection to the backend unread. */
type AnyConnection = ConnectionOptions | PostgresPoolConfig;
type Options<T> = Omit<T, 'connection'> & { readonly connection: AnyConnection };

/** Where queues live: Redis when it is configured, else the database. */
export const queueOptions = (settings: Settings): QueueOptions => {
  const connection: AnyConnection =
    settings.redisUrl === undefined
      ? {
          connectionString: databaseUrlOf(settings),
          schema: QUEUE_SCHEMA,
          max: CONNECTIONS_MAX,
          connectionTimeoutMillis: 5_000,
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

/** Without a listener, BullMQ prints each lost connection raw. The next try follows by itself. */
const warnOfTrouble = (instance: EventEmitter & { readonly name: string }, what: string): void => {
  const logger = new Logger('Queue');
  instance.on('error', (error: Error) =>
    logger.warn(`The ${what} ${instance.name} has trouble: ${error.message}`),
  );
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
}

/** Effects are compare-and-set in the database, so a job of a worker that died may run again as often as needed. */
const STALLED_COUNT_MAX = 100;

/** Below the time that a service manager gives us before it kills. */
const CLOSE_WITHIN_MS = 20_000;
/** A worker that never reached its backend has no job; BullMQ would wait for the backend to come. */
const CLOSE_UNREACHED_WITHIN_MS = 100;

/** A worker on either backend. */
export class BackedWorker extends Worker {
  private reached?: boolean;
  private ending?: Promise<void>;

  constructor(name: string, processor: WorkerProcessor, options: Options<WorkerOptions>) {
    const { connection } = options;
    const consuming = isPostgres(connection)
      ? connection
      : { ...connection, enableOfflineQueue: true, maxRetriesPerRequest: null };
    super(
      name,
      processor,
      {
        lockDuration: 30_000,
        stalledInterval: 15_000,
        maxStalledCount: STALLED_COUNT_MAX,
        // After an outage; BullMQ would wait for 15 s, and money that is held waits with it.
        runRetryDelay: 1_000,
        ...options,
        connection: consuming as ConnectionOptions,
      },
      backendOf(connection),
    );
    warnOfTrouble(this, 'worker');
    this.once('ready', () => (this.reached = true));
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
    const late = pause(this.reached ? CLOSE_WITHIN_MS : CLOSE_UNREACHED_WITHIN_MS, true, { ref: false });
    if (await Promise.race([super.close(force).then(() => false), late])) {
      await this.getBackend().close(true);
      await this.lockManager.close(); // Its timer would keep the process alive.
    }
  }
}

type WorkerProcessor = ConstructorParameters<typeof Worker>[1];
