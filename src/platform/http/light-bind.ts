import { AsyncResource } from 'node:async_hooks';

/**
 * Nest binds the rest of a call to its async context, once for each interceptor. The function that Node's own `bind`
 * returns has a deprecated property, whose accessors change their prototypes. V8 keeps the shapes of such functions until
 * a full collection, and each shape keeps its whole call. This `bind` does the same without that property.
 */
AsyncResource.bind = (fn, type, thisArg) => {
  const resource = new AsyncResource(type || fn.name || 'bound-anonymous-fn');
  if (typeof fn !== 'function') return resource.bind(fn); // Node refuses it.
  const bound = function (this: ThisParameterType<typeof fn>, ...args: Parameters<typeof fn>): unknown {
    return resource.runInAsyncScope(fn, thisArg === undefined ? this : thisArg, ...args);
  };
  // Libraries read the number of parameters: Fastify waits for `done` only in a plugin that has this parameter.
  if (fn.length > 0) Object.defineProperty(bound, 'length', { value: fn.length });
  return bound as typeof fn;
};
