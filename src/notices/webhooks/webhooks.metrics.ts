import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';

/** The tries and the backlog of webhook deliveries. */
@Injectable()
export class WebhooksMetrics {
  private readonly tries = new Counter({
    name: 'lamppost_webhook_tries_total',
    help: 'Tries of webhook deliveries, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  private readonly pending = new Gauge({
    name: 'lamppost_webhook_pending',
    help: 'Webhook deliveries that wait for a try, the next one included.',
    registers: [this.registry],
  });
  private readonly oldest = new Gauge({
    name: 'lamppost_webhook_oldest_seconds',
    help: 'Age of the oldest pending webhook delivery.',
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  tried(outcome: string): void {
    this.tries.inc({ outcome });
  }

  backlog(pending: number, oldestSeconds: number): void {
    this.pending.set(pending);
    this.oldest.set(oldestSeconds);
  }
}
