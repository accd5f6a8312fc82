import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { fingerprintOf, isEmptyBody } from '../../platform/http/body/body-bytes';
import { checkAndTeach } from '../../platform/http/routes/remedies';
import { validateAs } from '../../platform/http/routes/validation';
import { Rails } from '../rails/rails';
import type { PaidBody } from './paid-body';
import { PaidRoute } from './paid-route';
import { openCall } from './paid-call';
import type { Pricer } from './pricer';

/** Runs first, so that a malformed or unpriceable body is a 400, never a 402. */
@Injectable()
export class QuoteGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly rails: Rails,
    private readonly modules: ModuleRef,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const route = this.reflector.get(PaidRoute, context.getHandler());
    void reply.header('cache-control', 'no-store');

    const pricer: Pricer<PaidBody> = this.modules.get(route.pricer, { strict: false });
    // Crawlers look for paid routes with empty calls: they get a price, not a lesson about the body.
    const probe = isEmptyBody(request) && this.rails.claiming(request) === undefined;
    const { body, priced } = probe
      ? { body: {}, priced: pricer.cheapest(request) }
      : await checkAndTeach(request, async (sent) => {
          const valid = validateAs(route.body, sent);
          return { body: valid, priced: await pricer.price(valid, request) };
        });
    openCall({ request, reply, route, body, priced, probe, fingerprint: fingerprintOf(request) });
    return true;
  }
}
