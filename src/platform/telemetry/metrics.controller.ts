import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { NotFound } from '#kernel/app-error';
import { HttpRoute } from '../http/routes/route';
import { Metrics } from './metrics';
import { mayReadMetrics, staysOnMachine } from './metrics-access';
import { SETTINGS } from '../config/settings';
import type { TelemetrySettings } from './telemetry.settings';
import type { HttpSettings } from '../http/http.settings';

/** Serves the metrics to Prometheus. Callers who may not read them get a 404. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: TelemetrySettings & HttpSettings,
  ) {}

  @Get()
  @HttpRoute({ limit: 'none' })
  async read(
    @Req() { raw, headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const caller = { peer: raw.socket.remoteAddress, headers };
    if (!mayReadMetrics(caller, this.settings.metricsToken, staysOnMachine(this.settings))) {
      throw new NotFound('There is nothing at this address.');
    }
    void reply.header('cache-control', 'no-store').type(this.metrics.contentType);
    return this.metrics.text();
  }
}
