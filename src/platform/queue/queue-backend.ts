import { setTimeout as pause } from 'node:timers/promises';

import {
  type ConnectionOptions,
  PostgresConnection,
  type PostgresPoolConfig,
  PostgresQueueBackend,
  type QueueOptions,
  Worker,
  type WorkerOptions,
  createRedisBackend,
  setDefaultBackendFactory,
} from 'bullmq';
import { Client, type ClientConfig } from 'pg';

import type { Settings } from '../config/settings';
import { directUrlOf } from '../database/database-url';
import { QUEUE_SCHEMA } from '../database/migrations';

/**
 * The connections of each queue and of each worker. A worker has a further connection for notifications. A job needs a
 * connection only for a moment. With two connections, the worker can renew locks meanwhile.
 */
const CONNECTIONS_MAX = 2;
/**
 * The time after which an idle connection closes. It is longer than the pause between two runs of the schedule, because
 * a new connection costs more than a run.
 */
const IDLE_MS = 30_000;

/**
 * BullMQ takes a connection out of its pool and does not listen to it. Without this listener, an error event would end
 * the process, for example if the database is lost during the start.
 */
class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/** BullMQ's types know only Redis; its classes pass the connection to the backend without reading it. */
type AnyConnection = ConnectionOptions | PostgresPoolConfig;

/** The backend of queues: Redis if it is configured, or else the database. */
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
    // The rows contain all facts, so finished jobs are removed. Some failed jobs stay for operators.
    defaultJobOptions: {
      removeOnComplete: true,
      removeOnFail: 100,
      attempts: 3,
      backoff: { type: 'exponential', delay: 1_000 },
    },
  };
};

/**
 * Each statement of BullMQ waits for the first connection, and BullMQ keeps a failed first connection for ever. A
 * worker that starts while the database is away or overloaded would never take a job. So this class tries a failed
 * first connection again.
 */
class LastingConnection extends PostgresConnection {
  override async waitUntilReady(): Promise<void> {
    const ready = super.waitUntilReady();
    const attempt = this['readyPromise'];
    try {
      await ready;
    } catch (error) {
      if (this['readyPromise'] === attempt) this['readyPromise'] = undefined;
      throw error;
    }
  }
}

/**
 * BullMQ's own classes call this function to get their backend. So every queue, worker and flow of any module uses our
 * backend, and the order of imports does not matter.
 */
const backendOf: typeof createRedisBackend = (name, options, extra = {}) => {
  const connection: AnyConnection = options.connection;
  if ('connectionString' in connection) {
    // BullMQ lists workers by the names of their connections, so a worker's connection has the name of its queue.
    const listener = extra.withBlockingConnection === true ? name : undefined;
    return new PostgresQueueBackend(
      new LastingConnection(connection),
      name,
      options as unknown as ConstructorParameters<typeof PostgresQueueBackend>[2],
      true,
      listener,
    ) as unknown as ReturnType<typeof createRedisBackend>;
  }
  if (!('url' in connection)) return createRedisBackend(name, options, extra);
  // While Redis is away, a worker waits, but code that adds a job gets an error at once.
  const waits = extra.blocking === true || extra.withBlockingConnection === true;
  const patience = waits ? { maxRetriesPerRequest: null } : {};
  const ours = { ...connection, enableOfflineQueue: waits, ...patience } as ConnectionOptions;
  return createRedisBackend(name, { ...options, connection: ours }, extra);
};
setDefaultBackendFactory(backendOf);

/**
 * The highest number of times that a job may run again after its worker died. It is large, because all effects are
 * compare-and-set in the database.
 */
const STALLED_COUNT_MAX = 100;

/**
 * The lease of a job. No other worker takes the job of a dead worker before it ends, so held money may wait for this
 * time.
 */
const LOCK_MS = 10_000;
const STALLED_EVERY_MS = 5_000;

/** The time for running jobs to end. It is shorter than the time after which a service manager kills the process. */
const CLOSE_WITHIN_MS = 20_000;
/** The time for a clean close once no job runs. A backend that is away does not answer the close. */
const GOODBYE_MS = 500;
/** The pause before a retry during an outage. BullMQ's default of 15 s would also delay held money. */
const RETRY_MS = 1_000;

/** A worker that survives outages and stops in time. */
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

  /**
   * BullMQ pauses only after a refused connection. After any other failure, for example while the server starts, it
   * would retry without a pause.
   */
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
   * Waits for running jobs up to a limit. An interrupted job runs again in another process. Nest closes each worker a
   * second time at the end, and that close must not wait again.
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
    await this.lockManager.close(); // The timer of the lock manager would keep the process alive.
  }
}

/** BullMQ would also accept the name of a file to run, but Nest passes only functions. */
type Processor = Extract<ConstructorParameters<typeof Worker>[1], (...job: never[]) => Promise<unknown>>;
