import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

import { type Constructor, expressesAll } from './schema-of';
import { prepareCheck } from './validation';

/** The pause between two compilations, in which the process answers calls. */
const PAUSE_MS = 5;

const INPUTS: ReadonlySet<number> = new Set([RouteParamtypes.BODY, RouteParamtypes.QUERY]);

/**
 * Compiles the checks of all inputs soon after the start, so that neither the start nor the first call of a route waits
 * for them. A class that can't be compiled ends the process, as it would end the start. It logs the inputs that
 * class-validator must check as well, because a schema can't express all their decorators.
 */
@Injectable()
export class CheckedClasses implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Validation');
  private readonly waiting = new Set<Constructor>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    const inputs = this.discovery.getControllers().flatMap(({ metatype }) => {
      const controller = metatype as Type | null;
      if (controller === null) return [];
      const prototype = controller.prototype as object;
      return this.scanner
        .getAllMethodNames(prototype)
        .flatMap((name) => inputsOf(controller, prototype, name));
    });
    for (const input of new Set(inputs)) this.add(input);
  }

  onApplicationBootstrap(): void {
    const [input] = this.waiting;
    if (input === undefined) return;
    this.timer = setTimeout(() => {
      this.waiting.delete(input);
      prepareCheck(input);
      this.onApplicationBootstrap();
    }, PAUSE_MS).unref();
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
  }

  /** Adds an input that is no parameter of a route. */
  add(input: Constructor): void {
    this.waiting.add(input);
    if (expressesAll(input)) return;
    this.logger.log(
      `class-validator checks ${input.name} itself: a schema can't express all of its decorators.`,
    );
  }
}

/** The classes of a method's body and query, or of one of them. */
export const inputsOf = (
  controller: Type,
  prototype: object,
  name: string,
  kinds = INPUTS,
): readonly Constructor[] => {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<
    string,
    { readonly index: number; readonly data?: unknown }
  >;
  const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as Constructor[];
  return Object.entries(args)
    .filter(([key, { data }]) => kinds.has(Number.parseInt(key, 10)) && data === undefined)
    .map(([, { index }]) => types[index])
    .filter((type): type is Constructor => type !== undefined && !PLAIN.has(type));
};

const PLAIN: ReadonlySet<unknown> = new Set([Object, String, Number, Boolean, Array]);
