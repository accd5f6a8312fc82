import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import { ChargeRepository } from '../charges/charge.repository';

const WRITE_EVERY_MS = 1_000;

/**
 * Notes which answers arrived, so that a retry announced by a stock SDK finds the one that did not. Written together
 * once a second: a note that is lost only means that an answer can be given again.
 */
@Injectable()
export class Deliveries implements OnApplicationShutdown {
  private readonly logger = new Logger(Deliveries.name);
  private arrived: string[] = [];
  private timer?: NodeJS.Timeout;

  constructor(private readonly charges: ChargeRepository) {}

  watch(reply: FastifyReply, chargeId: string): void {
    reply.raw.once('finish', () => {
      this.arrived.push(chargeId);
      this.timer ??= setInterval(() => void this.write(), WRITE_EVERY_MS).unref();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  private async write(): Promise<void> {
    const batch = this.arrived;
    this.arrived = [];
    if (batch.length === 0) {
      return;
    }
    try {
      await this.charges.markDelivered(batch);
    } catch (error) {
      this.logger.debug({ err: error }, 'Deliveries could not be noted.');
    }
  }
}
