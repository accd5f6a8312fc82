import { Injectable } from '@nestjs/common';

import { Catalog } from '#models/catalog/catalog';
import { isWhole } from '#platform/http/body/body-bytes';
import { BodyNotKept } from '#platform/http/body/body.errors';
import { lateCallOf } from '#platform/http/inner-calls';
import { showOwnLimit } from '#platform/http/limits/address-limits';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { routeOptionsOf } from '#platform/http/routes/route';
import type { Charge } from '../charges/charge.entity';
import { Payers } from '../rails/payers';
import { Rails } from '../rails/rails';
import { type PaidCall, scopeOf } from './paid-call';
import { Preparation } from './preparation';

/** Decides whether a proven payer may run a call now: by the sale of the model, the payer's rate limit and the payer's money. */
@Injectable()
export class Admission {
  constructor(
    private readonly catalog: Catalog,
    private readonly limits: RateLimits,
    private readonly rails: Rails,
    private readonly payers: Payers,
    private readonly preparation: Preparation,
  ) {}

  /** Requires a model and a price that the caller and their key allow, and that the model is for sale. Counts the call against the limit of its payer. */
  async admit(call: PaidCall): Promise<void> {
    const { request, reply, route, payer, priced, price = priced.list, refusal } = call;
    if (refusal !== undefined) throw refusal;
    this.catalog.requireSaleOf(priced, price);
    if (lateCallOf(request) !== undefined) return; // The batch limits the pace of its calls.
    if (routeOptionsOf(request).throttle?.payer !== undefined) return; // PayerThrottlerGuard has already counted it.
    showOwnLimit(request, reply, await this.limits.count(route.limit, payer!.limitedAs));
  }

  /** Requires that the payer's key may use the model of the earlier call, if it may not make such a call now. */
  admitAgain(call: PaidCall, { modelId }: Charge): void {
    const { request, payer, refusal } = call;
    if (refusal !== undefined) this.payers.check(payer!, request, { route: scopeOf(call), modelId });
  }

  /** Requires the payer's money before work that costs something. The hold checks the money of all other calls. */
  async requireFunds(call: PaidCall): Promise<void> {
    const whole = isWhole(call.request);
    if (whole && !this.preparation.isCostly(call)) return;
    call.covered = await this.rails.of(call.payer!.rail).requireFunds(call, false);
    if (!whole) throw new BodyNotKept(); // The money arrived after the body was dropped.
  }

  /** The same for a dry run, which holds nothing and so checks the money of every prepaid call here. */
  async requireFundsOfDryRun(call: PaidCall): Promise<void> {
    const rail = this.rails.of(call.payer!.rail);
    const whole = isWhole(call.request);
    if (rail.isPrepaid || !whole || this.preparation.isCostly(call))
      call.covered = await rail.requireFunds(call, true);
    if (!whole) throw new BodyNotKept();
  }
}
