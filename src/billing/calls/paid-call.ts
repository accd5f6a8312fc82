import { type ExecutionContext, type Type, createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { PricedCall } from '../../catalog/priced-call';
import type { Micro } from '../../kernel/money';
import type { RouteScope } from '../../keys/key-scopes';
import type { LimitName } from '../../platform/config/settings';
import type { RouteOptions } from '../../platform/http/routes/route';
import type { MeasuredUse } from '../charges/charge';
import type { Charge } from '../charges/charge.entity';
import { type PayableRoute, payableCallOf } from '../rails/payable-call';
import type { PaidBody } from './paid-body';
import type { PreparedCall, Preparer } from './preparer';
import type { Pricer } from './pricer';

/**
 * How a paid route works: its price, its limits, its body and its answer. `PaidDocumentation` adds the values for its
 * document.
 */
export interface PaidOptions<Body extends PaidBody = PaidBody> extends PayableRoute {
  readonly body: new () => Body;
  readonly pricer: Type<Pricer<Body>>;
  /** Runs before any money is held: content policy, source media, pinned references. */
  readonly prepare?: Type<Preparer<Body>>;
  /** The limit that counts the proven payer. */
  readonly limit: LimitName;
  /** The name of the route in the scopes of keys. Without it, keys that are limited to routes can't use it. */
  readonly scope?: RouteScope | ((priced: PricedCall) => RouteScope);
  /** How long the answer is stored for repetitions. */
  readonly replaySeconds: number;
  /**
   * `after-settle` for routes that sell only the settlement itself, such as a top-up. `from-job` if the handler can
   * also answer a charge without a stored answer, which was decided after its process died. `by-use` if the price is
   * the most that a call can cost: it is reserved, and the handler's meter reports the real price.
   */
  readonly answer?: 'after-settle' | 'from-job' | 'by-use';
  /** Whether a by-use call is streamed. */
  streams?(body: Body, request: FastifyRequest): boolean;
  /** The largest body. A larger one is refused before it is read. */
  readonly bodyBytesMax: number;
  /** True where something is generated: the route is closed to sanctioned regions. */
  readonly generates: boolean;
  /** True where a multipart form may replace the JSON body; `file` where the body is a form with one file. */
  readonly form?: boolean | 'file';
  /** Set where bodies carry media: large data URIs go to the disk while they stream in. */
  readonly uploads?: RouteOptions['uploads'];
  /** The bytes that are kept of a body with media after the media were taken out. */
  readonly keptBytesMax?: number;
  /** True where the price depends only on the length of texts: an unproven caller's texts are counted and not kept. */
  readonly condenses?: boolean;
}

/** The feature's own parts of a paid route. */
export interface PaidParts {
  readonly pricer: Pricer<PaidBody>;
  readonly preparer?: Preparer<PaidBody>;
}

/**
 * The cost of a by-use call so far. It never exceeds the hold. The reconciliation compares the provider's bill with the
 * price.
 */
interface UseMeter extends MeasuredUse {
  readonly price: Micro;
}

/** One paid call. Each step writes its own fields, and each field has one writer. */
export interface PaidCall<Body extends PaidBody = PaidBody, Input = unknown> extends PreparedCall<Body> {
  readonly reply: FastifyReply;
  readonly route: PaidOptions<Body>;
  readonly parts: PaidParts;
  /** True for a crawler's empty call that no rail claims. It is priced but never run. */
  readonly probe: boolean;
  /** The input of the work: written by `ChargeInterceptor` from the preparer's result. */
  input?: Input;
  /** Work that may still read the input after the answer was sent: written by the feature. */
  reading?: Promise<unknown>;
  /** The job of the work: written by the feature. */
  jobId?: string;
  /** Measures the use of the call: written by the feature of a by-use route before it asks a provider. */
  meter?: UseMeter;
  /**
   * The settled charge, for routes that answer after settling or from a finished job: written by `ChargeInterceptor`.
   */
  charge?: Charge;
}

/** The paid call of a request, for guards and interceptors of a paid route. */
export const paidCallOf = (context: ExecutionContext): PaidCall =>
  payableCallOf(context.switchToHttp().getRequest<FastifyRequest>()) as PaidCall;

/** The factory behind `@Call()`. A method with this single parameter needs no parameter resolution. */
export const callParameter = (_: unknown, context: ExecutionContext): PaidCall => paidCallOf(context);

/** The paid call, as a parameter of a method that is marked `@Paid`. */
export const Call = createParamDecorator(callParameter);
