import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';

import { type RouteThrottle, addRouteOptions } from '../routes/route';

/** The metadata of the library's decorators. Its package does not export these names. */
const [LIMIT, TTL, SKIP] = ['THROTTLER:LIMIT', 'THROTTLER:TTL', 'THROTTLER:SKIP'];

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
        const throttle = this.throttleOf(prototype[name]!, controller);
        if (throttle !== undefined) addRouteOptions(prototype[name]!, { throttle });
      }
    }
  }

  private throttleOf(handler: Type, controller: Type): RouteThrottle | undefined {
    const read = (key: string, name: string): unknown =>
      this.reflector.getAllAndOverride(key + name, [handler, controller]) ??
      this.reflector.getAllAndOverride(`${key}default`, [handler, controller]);
    const [limit, ttl] = [read(LIMIT, 'address'), read(TTL, 'address')];
    // A limit may also be a function of the call. Only the guard can apply such a limit, because only the guard has the
    // call.
    const known = typeof limit === 'number' && typeof ttl === 'number' ? { limit, ttl } : undefined;
    const address = read(SKIP, 'address') === true ? 'skip' : known;
    const isLimited = read(LIMIT, 'payer') !== undefined;
    const payer = read(SKIP, 'payer') === true ? 'skip' : isLimited ? 'limited' : undefined;
    return address === undefined && payer === undefined ? undefined : { address, payer };
  }
}
