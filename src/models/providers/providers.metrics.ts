import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';

/** The calls to providers. */
@Injectable()
export class ProvidersMetrics {
  private readonly seconds = new Histogram({
    name: 'lamppost_provider_call_seconds',
    help: 'Calls to providers, by operation and duration.',
    labelNames: ['provider', 'operation'],
    buckets: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120],
    registers: [this.registry],
  });
  private readonly errors = new Counter({
    name: 'lamppost_provider_errors_total',
    help: 'Calls to providers that failed, by operation and reason.',
    labelNames: ['provider', 'operation', 'reason'],
    registers: [this.registry],
  });

  constructor(private readonly registry: Registry) {}

  answered(provider: string, operation: string, seconds: number): void {
    this.seconds.observe({ provider, operation }, seconds);
  }

  failed(provider: string, operation: string, reason: string): void {
    this.errors.inc({ provider, operation, reason });
  }
}
