import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, ModuleRef, Reflector } from '@nestjs/core';

import { OPERATION } from '../charges/operation';
import { RateLimits } from '#platform/http/limits/rate-limits';
import { CheckedClasses } from '#platform/http/routes/checked-classes';
import type { RouteOptions } from '#platform/http/routes/route';
import type { PaidOptions, PaidParts, RouteTool } from './paid-call';

/** Holds the options of a route's `@Paid`. */
export const PaidRoute = Reflector.createDecorator<PaidOptions>();

const FACT = 'paid';

/** The options of every paid route. Each of its answers shows the state of the charge, early refusals too. */
export const PAID: RouteOptions = {
  limit: 'challenge',
  provesCaller: true,
  headers: { 'x-charge-state': 'none' },
  facts: { [FACT]: true },
};

export const isPaid = ({ facts }: RouteOptions): boolean => facts?.[FACT] === true;

export interface KnownPaidRoute {
  readonly options: PaidOptions;
  readonly parts: PaidParts;
}

/** Knows every paid route of the service. `onModuleInit` collects the routes once. */
@Injectable()
export class PaidRoutes implements OnModuleInit {
  private readonly byHandler = new Map<unknown, KnownPaidRoute>();
  private readonly byPath = new Map<string, KnownPaidRoute>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
    private readonly classes: CheckedClasses,
    private readonly limits: RateLimits,
  ) {}

  onModuleInit(): void {
    for (const wrapper of this.discovery.getControllers()) {
      const controller = wrapper.metatype as Type | null;
      if (controller === null) continue;
      const prototype = controller.prototype as Record<string, object>;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name]!;
        const options = this.reflector.get(PaidRoute, handler as Type);
        if (options === undefined) continue;
        this.classes.add(options.body);
        refuseStrangeUse(options);
        this.limits.requireKnown(options.limit);
        const known: KnownPaidRoute = {
          options,
          parts: {
            pricer: this.find(options.pricer),
            preparer: options.prepare && this.find(options.prepare),
          },
        };
        this.byHandler.set(handler, known);
        this.byPath.set(pathOf(controller, handler), known);
      }
    }
  }

  of(handler: unknown): KnownPaidRoute {
    const route = this.byHandler.get(handler);
    if (route === undefined) throw new Error('This route is not marked @Paid.');
    return route;
  }

  /** The route at an address, such as `/v1/agent/chat`. */
  at(path: string): KnownPaidRoute | undefined {
    return this.byPath.get(path);
  }

  /** The routes with a tool, by their addresses. */
  get withTools(): readonly {
    readonly path: string;
    readonly options: PaidOptions;
    readonly tool: RouteTool;
  }[] {
    return [...this.byPath].flatMap(([path, { options }]) =>
      options.tool === undefined ? [] : [{ path, options, tool: options.tool }],
    );
  }

  get paths(): readonly string[] {
    return [...this.byPath.keys()];
  }

  private find<T>(type: Type<T>): T {
    return this.modules.get(type, { strict: false });
  }
}

/**
 * The ledger finds by-use charges by the name of their operation. With any other name, the capture would not find its
 * hold. Without the work of an operation, the sweep releases the charge of a dead process, and would not look for a job.
 */
const refuseStrangeUse = ({ answer, operation: { name, work } }: PaidOptions): void => {
  if (answer === 'by-use' && name !== OPERATION.byUse)
    throw new Error(`The operation ${name} can't be charged by usage: only ${OPERATION.byUse} is.`);
  if (answer === 'from-job' && work === undefined)
    throw new Error(
      `The operation ${name} has no work, so the charge of a dead process would be released although its job is done.`,
    );
};

const pathOf = (controller: Type, handler: object): string => {
  const parts = [Reflect.getMetadata(PATH_METADATA, controller), Reflect.getMetadata(PATH_METADATA, handler)];
  return `/${parts.map(String).join('/').split('/').filter(Boolean).join('/')}`;
};
