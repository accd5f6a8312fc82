import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { payableCallOf } from './payable-call';
import type { Payers } from './payers';
import type { PaymentRail, RailClass } from './rail';

/**
 * The guard of one rail. It proves the payer of a call with the rail's credential, and passes every other call to the
 * next guard. It never writes to the database: `ChargeInterceptor` moves the money.
 */
export abstract class RailGuard implements CanActivate {
  constructor(
    private readonly rail: PaymentRail,
    private readonly payers: Payers,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const call = payableCallOf(context.switchToHttp().getRequest<FastifyRequest>());
    const { rails } = call.route;
    const mayPay = rails === undefined || rails.includes(this.rail.name);
    if (call.payer === undefined && mayPay && this.rail.claims(call.request))
      call.payer = await this.payers.paying(this.rail, call);
    return true;
  }
}

/** The class of a rail's guard. It names its rail, so that the list of guards is the list of rails. */
export interface RailGuardClass extends Type<RailGuard> {
  readonly rail: RailClass;
}
