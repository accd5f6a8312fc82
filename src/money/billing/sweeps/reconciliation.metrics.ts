import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

@Injectable()
export class ReconciliationMetrics {
  private readonly held = new Gauge({
    name: 'lamppost_held_micro_usd',
    help: 'Micro-USD held now for calls that are neither charged nor released, by rail.',
    labelNames: ['rail'],
    registers: [this.registry],
  });
  private readonly driftMicro = new Gauge({
    name: 'lamppost_drift_micro_usd',
    help: 'Balances minus the sum of their ledger entries. Anything but 0 is an incident.',
    labelNames: ['ledger'],
    registers: [this.registry],
  });
  private readonly reconciled = new Gauge({
    name: 'lamppost_reconciled_at_seconds',
    help: 'When this process last compared the books, in seconds since 1970; 0 if it never did.',
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  heldMicro(rail: string, micro: bigint): void {
    this.held.set({ rail }, Number(micro));
  }

  drift(ledger: string, micro: bigint): void {
    this.driftMicro.set({ ledger }, Number(micro));
  }

  reconciledAt(time: Date): void {
    this.reconciled.set(time.getTime() / 1_000);
  }
}
