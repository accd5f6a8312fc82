import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

/** The rows that keep failing in sweeps. */
@Injectable()
export class SweepPausesMetrics {
  private readonly sweeps = new Gauge({
    name: 'lamppost_sweep_failing_rows',
    help: 'Rows that a scheduled task tries again and again without success, by the task.',
    labelNames: ['sweep'],
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  set(rows: ReadonlyMap<string, number>): void {
    this.sweeps.reset();
    for (const [sweep, failing] of rows) this.sweeps.set({ sweep }, failing);
  }
}
