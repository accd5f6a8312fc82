import type { Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import type { PricedCall } from '../../catalog/priced-call';
import type { RouteScope } from '../../keys/key-scopes';
import type { LimitName } from '../../platform/config/settings';
import type { Charge } from '../charges/charge.entity';
import type { PayableRoute } from '../rails/payable-call';
import type { PaidBody } from './paid-body';
import type { PreparedCall, Preparer } from './preparer';
import type { Pricer } from './pricer';

/** What a paid route says of itself. */
export interface PaidOptions<Body extends PaidBody = PaidBody> extends PayableRoute {
  readonly body: new () => Body;
  readonly pricer: Type<Pricer<Body>>;
  /** Runs before any money is held: content policy, source media, pinned references. */
  readonly prepare?: Type<Preparer<Body>>;
  /** The limit that counts the proven payer. */
  readonly limit: LimitName;
  /** What scopes of keys call it. Without it, keys that are limited to routes can't use it. */
  readonly scope?: RouteScope | ((priced: PricedCall) => RouteScope);
  /** How long the stored answer is given again. */
  readonly replaySeconds: number;
  /**
   * `after-settle` for routes that sell nothing but the settlement itself, such as a top-up. `from-job` where the handler
   * can also answer a charge that was decided after its process died, so that no answer was kept.
   */
  readonly answer?: 'after-settle' | 'from-job';
}

/** What the calls of a paid route go through. */
export interface PaidParts {
  readonly pricer: Pricer<PaidBody>;
  readonly preparer?: Preparer<PaidBody>;
  /** What is sold: the method that is marked `@Paid`. */
  readonly work: (call: PaidCall) => Promise<unknown>;
}

/**
 * One paid call on its way. Each step fills its next field, nothing goes back up, and each fact has one writer.
 */
export interface PaidCall<Body extends PaidBody = PaidBody, Input = unknown> extends PreparedCall<Body> {
  readonly reply: FastifyReply;
  readonly route: PaidOptions<Body>;
  readonly parts: PaidParts;
  /** True for a crawler's empty call that no rail claims, which is priced but never run. */
  readonly probe: boolean;
  /** What the work starts from: written by the preparer. */
  input?: Input;
  /** What may still read the input when the call is answered: written by the feature. */
  reading?: Promise<unknown>;
  /** The job that the work became: written by the feature. */
  jobId?: string;
  /** The settled charge, for routes that answer after settling, or again from what was made. */
  charge?: Charge;
}
