import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

/** The margin of each model. */
@Injectable()
export class MarginsMetrics {
  private readonly margins = new Gauge({
    name: 'lamppost_model_margin_micro_usd',
    help: 'Charges minus the cost at vendors, of today and yesterday, by model. Below 0 a model sells below cost.',
    labelNames: ['model'],
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  set(margins: ReadonlyMap<string, bigint>): void {
    this.margins.reset(); // A model without recent calls has no margin, so its old value must not stay.
    for (const [model, micro] of margins) this.margins.set({ model }, Number(micro));
  }
}
