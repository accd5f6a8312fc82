import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';

import { routeOf } from '../../platform/http/routes/route';
import type { PaidOptions, PaidParts } from './paid-call';
import { type MarkedRoute, paidRoutes } from './paid-route';

export interface KnownRoute {
  readonly route: PaidOptions;
  readonly parts: PaidParts;
}

/** Puts the parts of each paid route together, once. */
@Injectable()
export class PaidRouteParts {
  private readonly known = new Map<string, KnownRoute | undefined>();

  constructor(private readonly modules: ModuleRef) {}

  /** Undefined where the route is not marked `@Paid`. */
  at(request: FastifyRequest): KnownRoute | undefined {
    const { url, wishes } = routeOf(request);
    if (url === undefined || wishes.charges !== true) return undefined;
    if (!this.known.has(url)) this.known.set(url, this.routeAt(url));
    return this.known.get(url);
  }

  private routeAt(url: string): KnownRoute | undefined {
    const marked = paidRoutes().get(url);
    return marked && { route: marked.options, parts: this.partsOf(marked) };
  }

  private partsOf({ controller, method, options }: MarkedRoute): PaidParts {
    const instance = this.find(controller) as Record<string, PaidParts['work']>;
    return {
      pricer: this.find(options.pricer),
      preparer: options.prepare && this.find(options.prepare),
      work: async (call) => instance[method]!(call),
    };
  }

  private find<T>(type: Type<T>): T {
    return this.modules.get(type, { strict: false });
  }
}
