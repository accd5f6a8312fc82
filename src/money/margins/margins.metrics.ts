import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

/** One worker at a time computes the margins. After this time, the worker of an earlier turn no longer shows its own. */
const SHOWN_MS_MAX = 600_000;

@Injectable()
export class MarginsMetrics {
  private setAt = 0;
  private readonly margins = new Gauge({
    name: 'lamppost_model_margin_micro_usd',
    help: 'Charges minus the cost at vendors, of today and yesterday, by model. Below 0 a model sells below cost.',
    labelNames: ['model'],
    collect: () => {
      if (performance.now() - this.setAt > SHOWN_MS_MAX) this.margins.reset();
    },
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  set(margins: ReadonlyMap<string, bigint>): void {
    this.setAt = performance.now();
    this.margins.reset(); // A model without recent calls has no margin, so its old value must not stay.
    for (const [model, micro] of margins) this.margins.set({ model }, Number(micro));
  }
}
