import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

@Injectable()
export class ChargesMetrics {
  private readonly charges = new Counter({
    name: 'lamppost_charges_total',
    help: 'Moves of charges into a state, by rail.',
    labelNames: ['rail', 'state'],
    registers: [this.registry],
  });

  private readonly uncollectedMicro = new Counter({
    name: 'lamppost_uncollected_micro_usd_total',
    help: 'The use of calls that their payers could not pay any more, in micro-USD, by rail.',
    labelNames: ['rail'],
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  moved(rail: string, state: string): void {
    this.charges.inc({ rail, state });
  }

  uncollected(rail: string, amount: bigint): void {
    if (amount > 0n) this.uncollectedMicro.inc({ rail }, Number(amount));
  }
}
