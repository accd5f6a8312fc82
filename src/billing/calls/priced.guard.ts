import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { whenReady } from '../../kernel/maybe-promise';
import { fingerprintOf, isEmptyBody } from '../../platform/http/body/body-bytes';
import { checkWithFix } from '../../platform/http/routes/body-fix';
import { openCall } from '../rails/payable-call';
import { Rails } from '../rails/rails';
import type { PaidCall } from './paid-call';
import { PaidRoutes } from './paid-routes';
import { pricedBody } from './priced-body';

/** The first guard of a paid route: validates and prices the call, so that a bad body is a 400 and never a 402. */
@Injectable()
export class PricedGuard implements CanActivate {
  constructor(
    private readonly routes: PaidRoutes,
    private readonly rails: Rails,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    void reply.header('cache-control', 'no-store');
    const { options: route, parts } = this.routes.of(context.getHandler());
    const { pricer } = parts;
    // Crawlers probe paid routes with empty calls. They get a price instead of a validation error.
    const probe =
      isPayable(route.rails) && isEmptyBody(request) && this.rails.claiming(request) === undefined;
    const quoted = probe
      ? { body: {}, priced: pricer.cheapest(request) }
      : checkWithFix(request, (sent) => pricedBody(route, pricer, request, sent));
    return whenReady(quoted, ({ body, priced }) => {
      const fingerprint = fingerprintOf(request);
      const call: PaidCall = { request, reply, route, parts, body, priced, probe, fingerprint, attempts: [] };
      openCall(call);
      return true;
    });
  }
}

/** Whether a caller without a credential can pay the call, and therefore needs the price. */
const isPayable = (rails: readonly string[] | undefined): boolean =>
  rails === undefined || rails.includes('x402');
