import type { OnApplicationShutdown } from '@nestjs/common';
import { type ClientConfig, Pool } from 'pg';

import { within } from '#kernel/deadline';
import { directUrlOf } from '../database/database-url';
import { QUEUE_SCHEMA } from '../database/migrations';
import { TolerantClient } from '../database/tolerant-client';
import type { DatabaseSettings } from '../database/database.settings';

/** Each statement needs a connection for a moment. Each worker has one more connection, for notifications. */
const CONNECTIONS_MAX = 6;
/**
 * Idle connections are closed, but not between two runs of the schedule, because a new connection costs more than a
 * run.
 */
const IDLE_MS = 30_000;
/** A database that is away does not answer the end of a connection. */
const GOODBYE_MS = 500;

/** The connections to the database that all queues and workers of a process share. */
export class QueuePool implements OnApplicationShutdown {
  /** BullMQ takes connections out of the pool without listening to them. */
  readonly Client = TolerantClient;
  readonly config: ClientConfig;
  readonly pool: Pool;
  private ending?: Promise<void>;

  constructor(settings: DatabaseSettings) {
    this.config = {
      connectionString: directUrlOf(settings),
      connectionTimeoutMillis: 5_000,
      application_name: 'lamppost queue',
      options: `-c search_path=${QUEUE_SCHEMA}`,
    };
    this.pool = new Pool({
      ...this.config,
      Client: TolerantClient,
      max: CONNECTIONS_MAX,
      idleTimeoutMillis: IDLE_MS,
    });
    this.pool.setMaxListeners(0); // Each queue and each worker listens for its errors.
  }

  /** The queues and workers have ended before. Nest may ask twice; a pool ends once. */
  async onApplicationShutdown(): Promise<void> {
    // A server that ends a connection now is no failure of a queue.
    this.pool.removeAllListeners('error').on('error', () => undefined);
    this.ending ??= this.pool.end();
    await within(GOODBYE_MS, this.ending, () => undefined);
  }
}
