import { setTimeout as pause } from 'node:timers/promises';

import {
  type ConnectionOptions,
  PostgresConnection,
  PostgresQueueBackend,
  type QueueOptions,
  Worker,
  type WorkerOptions,
  createRedisBackend,
  setDefaultBackendFactory,
} from 'bullmq';
import { within } from '#kernel/deadline';
import type { QueuePool } from './queue-pool';
import type { DatabaseSettings } from '../database/database.settings';

/** BullMQ's types know only Redis; its classes pass the connection to the backend without reading it. */
type AnyConnection = ConnectionOptions | { readonly shared: QueuePool };

/** The backend of queues: Redis if it is configured, or else the database. */
export const queueOptions = ({ redisUrl }: DatabaseSettings, shared: QueuePool | undefined): QueueOptions => {
  const connection: AnyConnection =
    shared === undefined ? { url: redisUrl, disconnectTimeout: 200 } : { shared };
  return {
    prefix: 'lamppost',
    connection: connection as ConnectionOptions,
    // Rows have all facts, so a finished job is not needed. Some failed jobs are kept for operators.
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
 * worker that starts while the database is away or overloaded would never take a job. So a failed first connection is
 * tried again.
 */
class LastingConnection extends PostgresConnection {
  constructor({ pool, Client, config }: QueuePool) {
    super(pool);
    // With these, BullMQ opens a connection for notifications, and takes none of the pool for ever.
    Object.assign(this, { pgModule: { Client }, listenClientConfig: config });
  }

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
 * BullMQ's own classes choose their backend by this function. So a queue, worker or flow of any module uses our
 * backend, whatever was imported first.
 */
const backendOf: typeof createRedisBackend = (name, options, extra = {}) => {
  const connection: AnyConnection = options.connection;
  if ('shared' in connection) {
    // BullMQ lists workers by the names of their connections, so a worker's connection has the name of its queue.
    const listener = extra.withBlockingConnection === true ? name : undefined;
    return new PostgresQueueBackend(
      new LastingConnection(connection.shared),
      name,
      options as unknown as ConstructorParameters<typeof PostgresQueueBackend>[2],
      true,
      listener,
    ) as unknown as ReturnType<typeof createRedisBackend>;
  }
  if (!('url' in connection)) return createRedisBackend(name, options, extra);
  // A worker waits for Redis. A caller that adds a job gets an error at once while Redis is away.
  const waits = extra.blocking === true || extra.withBlockingConnection === true;
  const patience = waits ? { maxRetriesPerRequest: null } : {};
  const ours = { ...connection, enableOfflineQueue: waits, ...patience } as ConnectionOptions;
  return createRedisBackend(name, { ...options, connection: ours }, extra);
};
setDefaultBackendFactory(backendOf);

/** All effects are compare-and-set in the database, so a job of a dead worker may run again any number of times. */
const STALLED_COUNT_MAX = 100;

/** For this long, no other worker takes the job of a dead one, so held money may wait this long as well. */
const LOCK_MS = 10_000;
const STALLED_EVERY_MS = 5_000;

/** Below the time after which a service manager kills the process. */
const CLOSE_WITHIN_MS = 20_000;
/** The time for a clean close without a running job. A backend that is away does not answer it. */
const GOODBYE_MS = 500;
/** The pause after an outage. BullMQ would wait for 15 s, and held money would wait as well. */
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
   * BullMQ pauses only after a refused connection. After any other failure, such as a starting server, it would loop.
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
   * Waits for running jobs up to a limit: an interrupted job runs again in another process. Nest closes each worker
   * once more at the end, and that close must not wait again.
   */
  override close(force = false): Promise<void> {
    this.ending ??= this.closeInTime(force);
    return this.ending;
  }

  private async closeInTime(force: boolean): Promise<void> {
    const closed = super.close(force).then(() => true);
    const idle = Promise.allSettled(this.inHand).then(() => within(GOODBYE_MS, closed, () => false));
    if (await within(CLOSE_WITHIN_MS, Promise.race([closed, idle]), () => false)) return;
    await this.getBackend().close(true);
    await this.lockManager.close(); // Its timer would keep the process alive.
  }
}

/** BullMQ would also accept the name of a file to run; Nest passes functions only. */
type Processor = Extract<ConstructorParameters<typeof Worker>[1], (...job: never[]) => Promise<unknown>>;
