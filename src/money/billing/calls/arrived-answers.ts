import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { ChargeRepository } from '../charges/charge.repository';

const WRITE_EVERY_MS = 1_000;
/** The most records kept during an outage of the database. Further records are dropped. */
const WAITING_MAX = 10_000;

/**
 * Records which answers arrived, so that an announced retry of a stock SDK finds an answer that did not arrive. The
 * service writes the records once a second. If a record is lost, the service may send its answer again.
 */
@Injectable()
export class ArrivedAnswers implements OnApplicationShutdown {
  private arrived: string[] = [];
  private readonly writing: BackgroundTask;

  constructor(
    private readonly charges: ChargeRepository,
    background: BackgroundWork,
  ) {
    this.writing = background.task('Noting which answers arrived', () => this.write());
  }

  watch(reply: FastifyReply, chargeId: string): void {
    reply.raw.once('finish', () => {
      if (this.arrived.length < WAITING_MAX) this.arrived.push(chargeId);
      this.writing.wake(WRITE_EVERY_MS);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writing.stop();
    await this.write().catch(() => undefined); // If a record is lost, the service may send its answer again.
  }

  private async write(): Promise<void> {
    const batch = [...this.arrived];
    if (batch.length === 0) {
      return;
    }
    await this.charges.markDelivered(batch);
    this.arrived.splice(0, batch.length);
  }
}
