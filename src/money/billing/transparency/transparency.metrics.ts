import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

/** The state of the transparency log. */
@Injectable()
export class TransparencyMetrics {
  private readonly sealed = new Gauge({
    name: 'lamppost_transparency_sealed_at_seconds',
    help: 'When this process last had sealed all entries, in seconds since 1970; 0 if it never did.',
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  sealedAt(time: Date): void {
    this.sealed.set(time.getTime() / 1_000);
  }
}
