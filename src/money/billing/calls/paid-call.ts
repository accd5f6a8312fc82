import { type ExecutionContext, type Type, createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { PricedCall } from '#models/catalog/priced-call';
import type { Micro } from '#kernel/money';
import type { RouteScope } from '#people/keys/key-scopes';
import type { RouteOptions } from '#platform/http/routes/route';
import type { MeasuredUse } from '../charges/charge';
import type { Charge } from '../charges/charge.entity';
import { type PayableRoute, payableCallOf } from '../rails/payable-call';
import type { GrowingHold } from './growing-hold';
import type { PaidBody } from './paid-body';
import type { PreparedCall, Preparer } from './preparer';
import type { Pricer } from './pricer';
import type { LimitName } from '#platform/http/limits/rate-limits.settings';

/**
 * How a paid route works: its price, its limits, its body and its answer. `PaidDocumentation` adds the values for the
 * OpenAPI document.
 */
export interface PaidOptions<Body extends PaidBody = PaidBody> extends PayableRoute {
  readonly body: new () => Body;
  readonly pricer: Type<Pricer<Body>>;
  /** Runs before any money is held: content policy, source media, pinned references. */
  readonly prepare?: Type<Preparer<Body>>;
  /** The limit that counts the proven payer. */
  readonly limit: LimitName;
  /**
   * The name of the route in the scopes of keys. Without a name, a key that is limited to routes can't use the route.
   */
  readonly scope?: RouteScope | ((priced: PricedCall) => RouteScope);
  /** How long the answer is stored for repetitions. */
  readonly replaySeconds: number;
  /**
   * `after-settle`: the route sells only the settlement itself, such as a top-up. `from-job`: the handler can also
   * answer from a finished job, if the sweep has decided the charge and no answer is stored. `by-use`: the service
   * reserves the price as the most that the call can cost, and charges the price of the handler's meter.
   */
  readonly answer?: 'after-settle' | 'from-job' | 'by-use';
  /** Whether a by-use call is streamed. */
  streams?(body: Body, request: FastifyRequest): boolean;
  /** The largest body. The service refuses a larger body without reading it. */
  readonly bodyBytesMax: number;
  /** True if the route generates content. The service refuses such calls from sanctioned regions. */
  readonly generates: boolean;
  /** True if a multipart form may replace the JSON body; `file` if the body is a form with one file. */
  readonly form?: boolean | 'file';
  /** Set if bodies carry media: the service writes large data URIs to the disk while it receives the body. */
  readonly uploads?: RouteOptions['uploads'];
  /** The most bytes that the service keeps of a body after it has taken the media out. */
  readonly keptBytesMax?: number;
  /**
   * True if the price depends only on the lengths of texts. The service then keeps only these lengths for an unproven
   * caller.
   */
  readonly condenses?: boolean;
  /** The MCP tool of the route. Its arguments are the fields of the body. Without it, the route has no tool. */
  readonly tool?: RouteTool;
}

/** A route as a tool for language models. */
export interface RouteTool {
  readonly name: string;
  readonly title: string;
  /** One or two sentences. The tool adds how to pay. */
  readonly about: string;
  readonly answer: new () => object;
}

/** The parts of a paid route that its feature provides. */
export interface PaidParts {
  readonly pricer: Pricer<PaidBody>;
  readonly preparer?: Preparer<PaidBody>;
}

/**
 * The cost of a by-use call so far. The reconciliation compares the provider's bill with the price.
 */
interface UseMeter extends MeasuredUse {
  readonly price: Micro;
}

/** One paid call. Each step writes its own fields. */
export interface PaidCall<Body extends PaidBody = PaidBody, Input = unknown> extends PreparedCall<Body> {
  readonly reply: FastifyReply;
  readonly route: PaidOptions<Body>;
  readonly parts: PaidParts;
  /** True for a crawler's empty call that no rail claims. The service prices such a call but never runs it. */
  readonly probe: boolean;
  /** The input of the work: written by `Preparation` from the preparer's result. */
  input?: Input;
  /** Work that may still read the input after the answer was sent: written by the feature. */
  reading?: Promise<unknown>;
  /** The job of the work: written by the feature. */
  jobId?: string;
  /** Measures the use of the call: written by the feature of a by-use route before it asks a provider. */
  meter?: UseMeter;
  /** The held money of a by-use call: written by `WorkByUse`. */
  hold?: GrowingHold;
  /**
   * The settled charge, for routes that answer after settling or from a finished job: written by `ChargedWork`, or by
   * `Replay` for a repeated call.
   */
  charge?: Charge;
}

/** The name of the call's route in the scopes of keys. */
export const scopeOf = ({ route: { scope }, priced }: PaidCall): RouteScope | undefined =>
  typeof scope === 'function' ? scope(priced) : scope;

/** The paid call of a request, for guards and interceptors of a paid route. */
export const paidCallOf = (context: ExecutionContext): PaidCall =>
  payableCallOf(context.switchToHttp().getRequest<FastifyRequest>()) as PaidCall;

/** The paid call, as a parameter of a method that is marked `@Paid`. */
export const Call = createParamDecorator((_: unknown, context: ExecutionContext) => paidCallOf(context));
