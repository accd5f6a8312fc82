import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

import type { ChannelSums } from './channel.repository';

/** The money in payment channels. */
@Injectable()
export class ChannelMetrics {
  private readonly micro = new Gauge({
    name: 'lamppost_channel_micro_usd',
    help: 'Micro-USD of payment channels by network: owed, claimed, at_risk and unspent.',
    labelNames: ['network', 'sum'],
    registers: [this.registry],
  });
  private readonly open = new Gauge({
    name: 'lamppost_channels_open',
    help: 'Payment channels that hold money, by network.',
    labelNames: ['network'],
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  set({ network, open, owed, claimed, atRisk, unspent }: ChannelSums): void {
    this.open.set({ network }, open);
    for (const [sum, micro] of Object.entries({ owed, claimed, at_risk: atRisk, unspent }))
      this.micro.set({ network, sum }, Number(micro));
  }
}
