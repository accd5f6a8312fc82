import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';

import { WebhookDeliveryRepository } from './webhook-delivery.repository';

/** The queue in which a host has one entry, for as long as something is due for it. */
export const WEBHOOKS = 'webhooks';

/** Further ahead than clocks ever drift, and longer than a turn lasts with all that it has in hand. */
const STUCK_MS = 30_000;
const STUCK_REASON = 'The clock of its worker is wrong, or it has died.';
/** What BullMQ takes for the token of any worker. */
const ANY_TOKEN = '0';

/** What an entry says: where to look. What there is to do stands in the rows. */
export interface HostEntry {
  readonly host: string;
}

/** Says that something is due for a host: to whoever brings it there already, or to the first worker that is free. */
@Injectable()
export class WebhookHostQueue {
  private readonly logger = new Logger(WebhookHostQueue.name);

  constructor(
    @InjectQueue(WEBHOOKS) private readonly queue: Queue<HostEntry>,
    private readonly deliveries: WebhookDeliveryRepository,
  ) {}

  /** Never fails: a queue that is down loses nothing, because the next look at the rows rings again. */
  async add(hosts: readonly string[]): Promise<void> {
    if (hosts.length === 0) return;
    try {
      await Promise.all([this.deliveries.notifyDue(hosts), this.enqueue(hosts)]);
    } catch (error) {
      this.logger.warn({ err: error }, 'Nobody could be told that webhooks are due; the next look tells.');
    }
  }

  /**
   * Takes turns from workers whose clock is ahead, or was set while they had one. A queue in the database holds an entry
   * until a time that its worker names, and when that one is dead nobody else could bring anything to the host until then.
   * One that lives loses nothing: what it has in hand stands in the rows.
   */
  async failStuck(): Promise<void> {
    try {
      const now = await this.deliveries.now();
      for (const turn of await this.queue.getActive()) {
        if (Math.abs((turn.processedOn ?? 0) - now) > STUCK_MS)
          await turn.moveToFailed(new Error(STUCK_REASON), ANY_TOKEN);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'Turns could not be looked through; the next look does.');
    }
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
