import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';

import { reasonOf } from './http/provider-fault';
import { NotServed } from './providers.errors';

type Kind = abstract new (...args: never[]) => Error;

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

  /**
   * Times a call, and counts its failure unless `callers` contains it: then no provider is at fault. A call that
   * `signal` has ended counts as neither.
   */
  async counted<T>(
    provider: string,
    operation: string,
    call: () => Promise<T>,
    { callers = [NotServed], signal }: { callers?: readonly Kind[]; signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    const started = performance.now();
    const isCounted = (): boolean => signal?.aborted !== true;
    try {
      return await call();
    } catch (error) {
      if (isCounted() && !callers.some((kind) => error instanceof kind))
        this.failed(provider, operation, reasonOf(error));
      throw error;
    } finally {
      if (isCounted()) this.answered(provider, operation, (performance.now() - started) / 1_000);
    }
  }

  answered(provider: string, operation: string, seconds: number): void {
    this.seconds.observe({ provider, operation }, seconds);
  }

  failed(provider: string, operation: string, reason: string): void {
    this.errors.inc({ provider, operation, reason });
  }
}
