import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';

const PAY = '/checkout/sandbox/:topUpId/pay';

/**
 * The button of the checkout page sends an empty form. Only that one address accepts it, because other sites can send
 * forms without a preflight; everywhere else it remains a 415.
 */
@Injectable()
export class SandboxForms implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const instance = this.host.httpAdapter?.getInstance() as FastifyInstance | undefined;
    instance?.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer', bodyLimit: 1_024 },
      (request, _bytes, done) => {
        const isButton = request.routeOptions.url === PAY;
        done(isButton ? null : Object.assign(new Error('form'), { statusCode: 415 }), {});
      },
    );
  }
}
