import type { CanActivate, ExecutionContext } from '@nestjs/common';

import { callOf } from '../calls/paid-call';
import type { PaymentRail } from './rail';

/** Claims the call for its rail, or lets the next guard try. Never writes. */
export abstract class RailGuard implements CanActivate {
  constructor(private readonly rail: PaymentRail) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const call = callOf(context);
    const { rails } = call.route;
    const allowed = rails === undefined || rails.includes(this.rail.name);
    if (allowed && call.payer === undefined && this.rail.claims(call.request)) {
      call.payer = await this.rail.identify(call);
    }
    return true;
  }
}
