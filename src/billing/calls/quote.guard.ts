import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { fingerprintOf, isEmptyBody } from '../../platform/http/body/body-bytes';
import { checkAndTeach } from '../../platform/http/routes/remedies';
import { validateAs } from '../../platform/http/routes/validation';
import { Rails } from '../rails/rails';
import { openCall } from './paid-call';
import { PaidRouteParts } from './paid-parts';

/** Runs first, so that a malformed or unpriceable body is a 400, never a 402. */
@Injectable()
export class QuoteGuard implements CanActivate {
  constructor(
    private readonly parts: PaidRouteParts,
    private readonly rails: Rails,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { route, parts } = this.parts.of(context);
    const { pricer } = parts;
    void reply.header('cache-control', 'no-store');

    // Crawlers look for paid routes with empty calls: they get a price, not a lesson about the body.
    const probe = isEmptyBody(request) && this.rails.claiming(request) === undefined;
    const { body, priced } = probe
      ? { body: {}, priced: pricer.cheapest(request) }
      : await checkAndTeach(request, async (sent) => {
          const valid = validateAs(route.body, sent);
          return { body: valid, priced: await pricer.price(valid, request) };
        });
    openCall({ request, reply, route, parts, body, priced, probe, fingerprint: fingerprintOf(request) });
    return true;
  }
}
