import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';

import type { PaidOptions, PaidParts } from './paid-call';
import { PaidRoute } from './paid-route';

interface KnownRoute {
  readonly route: PaidOptions;
  readonly parts: PaidParts;
}

type Handler = ReturnType<ExecutionContext['getHandler']>;

/** Puts the parts of each paid route together, once. */
@Injectable()
export class PaidRouteParts {
  private readonly known = new Map<Handler, KnownRoute>();

  constructor(
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
  ) {}

  of(context: ExecutionContext): KnownRoute {
    const handler = context.getHandler();
    let known = this.known.get(handler);
    if (known === undefined) {
      const route = this.reflector.get(PaidRoute, handler);
      known = { route, parts: this.partsOf(route, handler, context.getClass()) };
      this.known.set(handler, known);
    }
    return known;
  }

  private partsOf(route: PaidOptions, handler: Handler, type: Type): PaidParts {
    const controller = this.find(type);
    return {
      pricer: this.find(route.pricer),
      preparer: route.prepare && this.find(route.prepare),
      work: async (call) => (handler as unknown as PaidParts['work']).call(controller, call),
    };
  }

  private find<T>(type: Type<T>): T {
    return this.modules.get(type, { strict: false });
  }
}
