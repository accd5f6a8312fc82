import { defineError } from '#kernel/app-error';
import { PROVIDER_ERROR } from '#models/providers/providers.errors';
import { paidRoutes } from '../support/paid-routes';

const RunFails = defineError(PROVIDER_ERROR);

/** The paths whose handlers fail now. */
export const failing = new Set<string>();
const runs = new Map<string, number>();

/** How often the handler of a path has run. */
export const runsOf = (path: string): number => runs.get(path) ?? 0;

/** Counts the runs of the handlers of all paid routes, and lets tests make them fail. Call it before the service starts. */
export const watchHandlers = (): void => {
  for (const [path, { controller, method }] of paidRoutes()) {
    const prototype = controller.prototype as Record<string, (...given: unknown[]) => unknown>;
    const handler = prototype[method]!;
    const either = function (this: unknown, ...given: unknown[]): unknown {
      if (failing.has(path)) throw new RunFails('This run fails.');
      runs.set(path, runsOf(path) + 1);
      return handler.apply(this, given);
    };
    for (const key of Reflect.getMetadataKeys(handler) as unknown[]) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), either);
    }
    Object.defineProperty(either, 'name', { value: method });
    prototype[method] = either;
  }
};
