import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';

import { turnsOf } from '#platform/queue/turns';
import { WebhookDeliveryRepository } from './webhook-delivery.repository';

/** The queue in which a host has one entry while it has due deliveries. */
export const WEBHOOKS = 'webhooks';

/** Longer than any difference of clocks, and longer than a worker holds an entry. */
const STUCK_MS = 30_000;
const STUCK_REASON = 'The clock of its worker is wrong, or it has died.';
/** The token that BullMQ accepts for any worker. */
const ANY_TOKEN = '0';

/** The host to send to. Its deliveries are rows in the database. */
export interface HostEntry {
  readonly host: string;
}

/**
 * Queues hosts with due deliveries. It wakes the worker that already sends to a host, or adds an entry for a free
 * worker.
 */
@Injectable()
export class WebhookHostQueue {
  private readonly logger = new Logger(WebhookHostQueue.name);

  constructor(
    @InjectQueue(WEBHOOKS) private readonly queue: Queue<HostEntry>,
    private readonly deliveries: WebhookDeliveryRepository,
  ) {}

  /** Never fails: if the queue is down, the next sweep adds the hosts again. */
  async add(hosts: readonly string[]): Promise<void> {
    if (hosts.length === 0) return;
    try {
      await Promise.all([
        this.deliveries.notifyDue(hosts),
        this.queue.addBulk(turnsOf(hosts, (host) => ({ host }))),
      ]);
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not queue hosts with due webhooks; the next sweep retries.');
    }
  }

  /**
   * Removes entries from workers whose clock is, or was, ahead. A queue in the database locks an entry until a time
   * that its worker sets. If that worker is dead, no other worker could send to the host until then. A living worker
   * loses nothing, because the rows hold its deliveries.
   */
  async failStuck(): Promise<void> {
    try {
      const now = await this.deliveries.now();
      for (const turn of await this.queue.getActive()) {
        if (Math.abs((turn.processedOn ?? 0) - now) > STUCK_MS)
          await turn.moveToFailed(new Error(STUCK_REASON), ANY_TOKEN);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'Stuck host entries could not be checked; the next sweep retries.');
    }
  }
}
