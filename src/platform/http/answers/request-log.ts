import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { routeOf } from '../routes/route';

/**
 * Logs one line for each answer. Successful polls and price checks are `debug`, because they would hide all other
 * lines.
 */
@Injectable()
export class RequestLog {
  private readonly logger = new Logger('Http');

  write(request: FastifyRequest, reply: FastifyReply): void {
    const { url, options } = routeOf(request);
    const status = reply.statusCode;
    const { provesCaller = false } = options;
    const line = {
      requestId: request.id,
      method: request.method,
      route: url ?? 'none',
      status,
      ms: Math.round(reply.elapsedTime),
      ip: request.ip,
    };
    if (status >= 500) {
      this.logger.error(line, 'answered');
    } else if (provesCaller || status >= 400) {
      this.logger.log(line, 'answered');
    } else {
      this.logger.debug(line, 'answered');
    }
  }
}
