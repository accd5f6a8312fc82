import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { pino } from 'pino';

import { SETTINGS, type Settings } from '../../config/settings';
import { HttpHooks } from '../hooks';
import { routeOf } from '../routes/route';

/** One line per answer. Polls and price checks that went well are `debug`: they would bury everything else. */
@Injectable()
export class RequestLog implements OnModuleInit {
  private readonly logger = new Logger('Http');

  constructor(
    private readonly hooks: HttpHooks,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    // Looked at here: a line that nobody sees is not put together for each answer.
    const { values } = pino.levels;
    const least = values[this.settings.logLevel] ?? Infinity;
    this.hooks.after('log', (request, reply) => {
      const status = reply.statusCode;
      const { url, wishes } = routeOf(request);
      const { paid = false } = wishes;
      const level = status >= 500 ? 'error' : paid || status >= 400 ? 'info' : 'debug';
      if ((values[level] ?? 0) < least) return;
      const line = {
        requestId: request.id,
        method: request.method,
        route: url ?? 'none',
        status,
        ms: Math.round(reply.elapsedTime),
        ip: request.ip,
      };
      this.logger[level === 'info' ? 'log' : level](line, 'answered');
    });
  }
}
