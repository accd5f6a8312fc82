import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import {
  THROTTLER_BLOCK_DURATION,
  THROTTLER_KEY_GENERATOR,
  THROTTLER_LIMIT,
  THROTTLER_SKIP,
  THROTTLER_TRACKER,
  THROTTLER_TTL,
} from '@nestjs/throttler/dist/throttler.constants';

import { type RouteThrottle, addRouteOptions } from '../routes/route';

/** Options of `@Throttle` that neither the hook of addresses nor the guard of payers applies. */
const WITHOUT_EFFECT = {
  [THROTTLER_BLOCK_DURATION]: 'blockDuration',
  [THROTTLER_TRACKER]: 'getTracker',
  [THROTTLER_KEY_GENERATOR]: 'generateKey',
};
/** All metadata of the library begins so, also that of options which a later version may have. */
const PREFIX = THROTTLER_LIMIT.slice(0, THROTTLER_LIMIT.indexOf(':') + 1);
/** The metadata that has an effect here, without the name of the limiter. */
const KINDS = [THROTTLER_LIMIT, THROTTLER_TTL, THROTTLER_SKIP];
const LIMITERS = ['address', 'payer', 'default'];

/**
 * Passes the limits of `@Throttle` and `@SkipThrottle` to the hook that counts addresses before the body is read. It
 * reads the decorators once, before the routes are registered.
 */
@Injectable()
export class ThrottledRoutes {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  read(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      const controller = metatype as Type | null;
      if (controller === null) continue;
      const prototype = controller.prototype as Record<string, Type>;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        for (const marked of [prototype[name]!, controller])
          refuseWithoutEffect(marked, `${controller.name}.${name}`);
        this.refuseHalf(prototype[name]!, controller, `${controller.name}.${name}`);
        const throttle = this.throttleOf(prototype[name]!, controller);
        if (throttle !== undefined) addRouteOptions(prototype[name]!, { throttle });
      }
    }
  }

  /** A limit without its time, or with a number that never refuses a call, would be ignored. */
  private refuseHalf(handler: Type, controller: Type, route: string): void {
    for (const limiter of LIMITERS) {
      const given = [THROTTLER_LIMIT, THROTTLER_TTL].map((key) =>
        this.reflector.getAllAndOverride<unknown>(`${key}${limiter}`, [handler, controller]),
      );
      if (given.every((value) => value === undefined)) continue;
      if (given.every((value) => typeof value === 'function' || isCount(value))) continue;
      refuse(route, `limit and ttl of "${limiter}" are whole numbers above 0, and both are needed.`);
    }
  }

  private throttleOf(handler: Type, controller: Type): RouteThrottle | undefined {
    const read = (key: string, name: string): unknown =>
      this.reflector.getAllAndOverride(key + name, [handler, controller]) ??
      this.reflector.getAllAndOverride(`${key}default`, [handler, controller]);
    const [limit, ttl] = [read(THROTTLER_LIMIT, 'address'), read(THROTTLER_TTL, 'address')];
    // A limit may also be a function of the call. Only the guard can apply such a limit, because only the guard has the
    // call.
    const known = typeof limit === 'number' && typeof ttl === 'number' ? { limit, ttl } : undefined;
    const address = read(THROTTLER_SKIP, 'address') === true ? 'skip' : known;
    const isLimited = read(THROTTLER_LIMIT, 'payer') !== undefined;
    const payer = read(THROTTLER_SKIP, 'payer') === true ? 'skip' : isLimited ? 'limited' : undefined;
    return address === undefined && payer === undefined ? undefined : { address, payer };
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

/** A limit without effect is a route without a limit, so the start names it. */
const refuse = (route: string, why: string): never => {
  throw new Error(`The limit of ${route} has no effect: ${why}`);
};

const refuseWithoutEffect = (marked: object, route: string): void => {
  const given = Reflect.getMetadataKeys(marked)
    .map(String)
    .filter((key) => key.startsWith(PREFIX) && Reflect.getMetadata(key, marked) !== undefined);
  for (const [key, option] of Object.entries(WITHOUT_EFFECT))
    if (given.some((one) => one.startsWith(key)))
      refuse(route, `@Throttle takes limit and ttl here, and not ${option}.`);
  for (const key of given) {
    const name = KINDS.reduce((left, kind) => left.replace(kind, ''), key);
    if (!LIMITERS.includes(name))
      refuse(route, `there is no limiter "${name}", only address (or default) and payer.`);
    if (name !== 'payer' && typeof Reflect.getMetadata(key, marked) === 'function')
      refuse(
        route,
        'a limit by address is counted before the call is read, so it is a number and not a function.',
      );
  }
};
