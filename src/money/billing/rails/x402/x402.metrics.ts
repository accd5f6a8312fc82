import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';

/** The gas of the relayer, and lost payments. */
@Injectable()
export class X402Metrics {
  private readonly gas = new Gauge({
    name: 'lamppost_relayer_gas_wei',
    help: 'Remaining gas money of each relayer wallet.',
    labelNames: ['relayer'],
    registers: [this.registry],
  });
  private readonly lost = new Counter({
    name: 'lamppost_x402_lost_micro_usd_total',
    help: 'Micro-USD of payments that the chain accepted and dropped for good. Any value but 0 is an incident.',
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  relayerGas(relayer: string, wei: bigint): void {
    this.gas.reset(); // The old values must not stay: a network that is no longer configured needs no alert.
    this.gas.set({ relayer }, Number(wei));
  }

  paymentLost(micro: bigint): void {
    this.lost.inc(Number(micro));
  }
}
