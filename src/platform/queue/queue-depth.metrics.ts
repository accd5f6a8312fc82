import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

@Injectable()
export class QueueDepthMetrics {
  private readonly depth = new Gauge({
    name: 'lamppost_queue_depth',
    help: 'Entries of each queue, by state.',
    labelNames: ['queue', 'state'],
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  set(queue: string, state: string, entries: number): void {
    this.depth.set({ queue, state }, entries);
  }
}
