import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** The states of charges. */
@Injectable()
export class ChargesMetrics {
  private readonly charges = new Counter({
    name: 'lamppost_charges_total',
    help: 'Moves of charges into a state, by rail.',
    labelNames: ['rail', 'state'],
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  moved(rail: string, state: string): void {
    this.charges.inc({ rail, state });
  }
}
