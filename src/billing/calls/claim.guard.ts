import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';

import { Rails } from '../rails/rails';
import { callOf } from './paid-call';

/** The first rail that may pay this route and finds its credential on the call proves who pays. Never writes. */
@Injectable()
export class ClaimGuard implements CanActivate {
  constructor(private readonly rails: Rails) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const call = callOf(context);
    const rail = this.rails.claiming(call.request, call.route.rails);
    if (rail !== undefined) call.payer = await rail.identify(call);
    return true;
  }
}
