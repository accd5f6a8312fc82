import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { InvalidRequest } from '#kernel/app-error';
import { isFields } from '#kernel/json';
import { fingerprintOf, isEmptyBody } from '#platform/http/body/body-bytes';
import { showIgnored } from '#platform/http/answers/ignored-header';
import { checkWithFix } from '#platform/http/routes/body-fix';
import { schemaOf } from '#platform/http/routes/schema-of';
import { openCall } from '../rails/payable-call';
import { Rails } from '../rails/rails';
import type { PaidCall } from './paid-call';
import type { PaidBody } from './paid-body';
import { PaidRoutes } from './paid-routes';
import { PayableByAnybody } from './payable-by-anybody';
import { pricedBody } from './priced-body';

/** A name that a header may show. */
const PLAIN_NAME = /^[\w.-]{1,60}$/;

/** The fields of a sent body that its route does not know. A client may send a field of another API. */
const unknownIn = (type: new () => PaidBody, sent: unknown): readonly string[] => {
  if (!isFields(sent)) return [];
  const known = (schemaOf(type)['properties'] ?? {}) as object;
  return Object.keys(sent).filter((name) => PLAIN_NAME.test(name) && !Object.hasOwn(known, name));
};

/** Fields that bound a charge, or hold it back. In the address they have no effect, and the call would be charged. */
const ONLY_IN_BODY = ['dryRun', 'maxPriceMicro', 'quoteId'];

const refuseInAddress = ({ query }: FastifyRequest): void => {
  const name = ONLY_IN_BODY.find((one) => Object.hasOwn(query as object, one));
  if (name === undefined) return;
  throw new InvalidRequest(`${name} is a field of the body; in the address it has no effect.`, {
    param: name,
  });
};

/** The first guard of a paid route: validates and prices the call, so that a bad body gets 400 and never 402. */
@Injectable()
export class PricedGuard implements CanActivate {
  constructor(
    private readonly routes: PaidRoutes,
    private readonly rails: Rails,
    private readonly anybody: PayableByAnybody,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    void reply.header('cache-control', 'no-store');
    refuseInAddress(request);
    const { options: route, parts } = this.routes.of(context.getHandler());
    const { pricer } = parts;
    // Crawlers probe paid routes with empty calls. They get a price instead of a validation error.
    const probe =
      this.anybody.mayPay(route) && isEmptyBody(request) && this.rails.claiming(request) === undefined;
    const { body, priced } = probe
      ? { body: {}, priced: pricer.cheapest(request) }
      : await checkWithFix(request, (sent) => pricedBody(route, pricer, request, sent));
    if (!pricer.namesIgnored) showIgnored(reply, unknownIn(route.body, request.body));
    const fingerprint = fingerprintOf(request);
    const call: PaidCall = { request, reply, route, parts, body, priced, probe, fingerprint, attempts: [] };
    openCall(call);
    return true;
  }
}
