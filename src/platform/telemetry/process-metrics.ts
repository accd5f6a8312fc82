import { monitorEventLoopDelay } from 'node:perf_hooks';

import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { routeOf } from '../http/routes/route';
import { Metrics } from './metrics';

const NANOSECONDS = 1e9;
const SAMPLE_MS = 20;

/** The process has one event loop. Node never frees a histogram, nor the objects of the call that made it. */
const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });

/** The metrics of the process: requests, event loop, memory. */
@Injectable()
export class ProcessMetrics implements OnModuleInit {
  constructor(private readonly metrics: Metrics) {}

  onModuleInit(): void {
    delay.enable();
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

  private read(): void {
    if (delay.count > 0) {
      // The measured delay includes the sampler's own period, so this subtracts it.
      const seconds = (nanoseconds: number): number =>
        Math.max(0, nanoseconds / NANOSECONDS - SAMPLE_MS / 1_000);
      this.metrics.eventLoopLag('0.5', seconds(delay.percentile(50)));
      this.metrics.eventLoopLag('0.99', seconds(delay.percentile(99)));
      this.metrics.eventLoopLag('1', seconds(delay.max));
    }
    delay.reset();
    const { rss, heapUsed } = process.memoryUsage();
    this.metrics.memoryBytes('resident', rss);
    this.metrics.memoryBytes('heap', heapUsed);
  }
}
