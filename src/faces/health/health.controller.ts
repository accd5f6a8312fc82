import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';

import { HttpRoute } from '#platform/http/routes/route';
import { HealthService, type Readiness } from './health.service';

/** A supervisor restarts the process by `live`. A load balancer sends traffic by `ready`, which `/health` answers too. */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @HttpRoute({ limit: 'none' })
  @Header('cache-control', 'no-store')
  live(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  @Get(['', 'ready'])
  @HttpRoute({ limit: 'none' })
  @Header('cache-control', 'no-store')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.health.readiness();
    const serves = readiness.status === 'ok' || readiness.status === 'degraded';
    void reply.status(serves ? 200 : 503);
    return readiness;
  }
}
