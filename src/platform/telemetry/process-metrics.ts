import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { routeOf } from '../http/routes/route';
import { Metrics } from './metrics';

const NANOSECONDS = 1e9;
const SAMPLE_MS = 20;

/** The process's own metrics: requests, event loop, memory. */
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
      // The template, never the path: a path holds ids, and every new one would be a series of its own.
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
      // The sampler's own period is part of what it measures.
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
