import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';

import { Database } from '../platform/database/database';

/** The queue in which a host has one entry, for as long as something is due for it. */
export const WEBHOOKS = 'webhooks';

/** What an entry says: where to look. What there is to do stands in the rows. */
export interface HostTurn {
  readonly host: string;
}

/** Says that something is due for a host: to whoever brings it there already, or to the first worker that is free. */
@Injectable()
export class WebhookBell {
  private readonly logger = new Logger(WebhookBell.name);

  constructor(
    @InjectQueue(WEBHOOKS) private readonly queue: Queue<HostTurn>,
    private readonly db: Database,
  ) {}

  /** Never fails: a queue that is down loses nothing, because the next look at the rows rings again. */
  async ring(hosts: readonly string[]): Promise<void> {
    if (hosts.length === 0) return;
    try {
      await Promise.all([this.tell(hosts), this.enqueue(hosts)]);
    } catch (error) {
      this.logger.warn({ err: error }, 'Nobody could be told that webhooks are due; the next look tells.');
    }
  }

  private async tell(hosts: readonly string[]): Promise<void> {
    await this.db.rows(
      `select pg_notify('webhook_due', host) from unnest($1::text[]) as host`,
      [hosts],
      'webhook-ring',
    );
  }

  /** An entry that comes while the host has its turn is kept for the end of that turn. */
  private async enqueue(hosts: readonly string[]): Promise<void> {
    await this.queue.addBulk(
      hosts.map((host) => ({
        name: 'turn',
        data: { host },
        opts: {
          deduplication: { id: host, keepLastIfActive: true },
          attempts: 1,
          removeOnComplete: true,
          removeOnFail: 100,
        },
      })),
    );
  }
}
