import { monitorEventLoopDelay } from 'node:perf_hooks';

import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Gauge, Histogram, Registry } from 'prom-client';

import { BackgroundWork } from '../background/background-work';
import { routeOf } from '../http/routes/route';
import { Metrics } from './metrics';

const NANOSECONDS = 1e9;
const SAMPLE_MS = 20;

/**
 * Buckets from the time of a cached answer to the longest synchronous wait. There are few, because each pair of route
 * and status has all buckets.
 */
const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 100];

/** The process has one event loop. Node never frees a histogram, nor the objects of the call that made it. */
const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });

/** The metrics of the process: requests, event loop, memory, background work. */
@Injectable()
export class ProcessMetrics implements OnModuleInit {
  private readonly failingWork = new Set<string>();
  private readonly requests = new Histogram({
    name: 'lamppost_http_request_seconds',
    help: 'Answered requests, by method, route template, status and duration.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [this.registry],
  });
  private readonly lag = new Gauge({
    name: 'lamppost_event_loop_lag_seconds',
    help: 'How late the event loop ran since the last scrape.',
    labelNames: ['quantile'],
    registers: [this.registry],
  });
  private readonly memory = new Gauge({
    name: 'lamppost_memory_bytes',
    help: 'Memory of the process: the resident set and the used heap.',
    labelNames: ['kind'],
    registers: [this.registry],
  });
  private readonly failing = new Gauge({
    name: 'lamppost_background_failing_seconds',
    help: 'Seconds for which a background task has been failing, by name; 0 once it works again.',
    labelNames: ['work'],
    registers: [this.registry],
  });

  constructor(
    private readonly metrics: Metrics,
    private readonly registry: Registry,
    private readonly background: BackgroundWork,
  ) {}

  onModuleInit(): void {
    delay.enable();
    this.metrics.beforeScrape(() => this.read());
  }

  countRequest(request: FastifyRequest, reply: FastifyReply): void {
    // The label is the template of the route, never the path. Paths contain ids, so every new path would make a new
    // series.
    const route = routeOf(request).url ?? 'none';
    this.requests.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1_000,
    );
  }

  private read(): void {
    if (delay.count > 0) {
      // The measured delay includes the sampler's own period, so this subtracts it.
      const seconds = (nanoseconds: number): number =>
        Math.max(0, nanoseconds / NANOSECONDS - SAMPLE_MS / 1_000);
      this.lag.set({ quantile: '0.5' }, seconds(delay.percentile(50)));
      this.lag.set({ quantile: '0.99' }, seconds(delay.percentile(99)));
      this.lag.set({ quantile: '1' }, seconds(delay.max));
    }
    delay.reset();
    const { rss, heapUsed } = process.memoryUsage();
    this.memory.set({ kind: 'resident' }, rss);
    this.memory.set({ kind: 'heap' }, heapUsed);
    const failing = this.background.failing();
    for (const work of Object.keys(failing)) this.failingWork.add(work);
    for (const work of this.failingWork) this.failing.set({ work }, failing[work] ?? 0);
  }
}
