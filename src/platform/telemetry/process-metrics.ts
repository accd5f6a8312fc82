import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { routeOf } from '../http/routes/route';
import { Metrics } from './metrics';

const NANOSECONDS = 1e9;
const SAMPLE_MS = 20;

/** The metrics of the process: requests, event loop, memory. */
@Injectable()
export class ProcessMetrics implements OnModuleInit, OnApplicationShutdown {
  private readonly delay: IntervalHistogram = monitorEventLoopDelay({ resolution: SAMPLE_MS });

  constructor(private readonly metrics: Metrics) {}

  onModuleInit(): void {
    this.delay.enable();
    this.metrics.beforeScrape(() => this.read());
  }

  countRequest(request: FastifyRequest, reply: FastifyReply): void {
    this.metrics.httpRequest({
      method: request.method,
      // The label is the template of the route, never the path. Paths contain ids, so every new path would make a new
      // series.
      route: routeOf(request).url ?? 'none',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    });
  }

  onApplicationShutdown(): void {
    this.delay.disable();
  }

  private read(): void {
    if (this.delay.count > 0) {
      // The measured delay includes the sampler's own period, so this subtracts it.
      const seconds = (nanoseconds: number): number =>
        Math.max(0, nanoseconds / NANOSECONDS - SAMPLE_MS / 1_000);
      this.metrics.eventLoopLag('0.5', seconds(this.delay.percentile(50)));
      this.metrics.eventLoopLag('0.99', seconds(this.delay.percentile(99)));
      this.metrics.eventLoopLag('1', seconds(this.delay.max));
    }
    this.delay.reset();
    const { rss, heapUsed } = process.memoryUsage();
    this.metrics.memoryBytes('resident', rss);
    this.metrics.memoryBytes('heap', heapUsed);
  }
}
