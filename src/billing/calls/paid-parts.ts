import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
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
export class PaidRouteParts implements OnModuleInit {
  private readonly known = new Map<string, KnownRoute>();

  constructor(private readonly modules: ModuleRef) {}

  onModuleInit(): void {
    for (const [url, marked] of paidRoutes()) {
      this.known.set(url, { route: marked.options, parts: this.partsOf(marked) });
    }
  }

  /** Undefined where the route is not marked `@Paid`. */
  at(request: FastifyRequest): KnownRoute | undefined {
    const { url, wishes } = routeOf(request);
    return url === undefined || wishes.charges !== true ? undefined : this.known.get(url);
  }

  private partsOf({ controller, method, options }: MarkedRoute): PaidParts {
    const instance = this.find(controller) as Record<string, PaidParts['work']>;
    return {
      pricer: this.find(options.pricer),
      preparer: options.prepare && this.find(options.prepare),
      work: (call) => instance[method]!(call),
    };
  }

  private find<T>(type: Type<T>): T {
    return this.modules.get(type, { strict: false });
  }
}
