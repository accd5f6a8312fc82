import { AsyncResource } from 'node:async_hooks';

/**
 * Nest binds the rest of a call to its async context, once for each interceptor. The function that Node's own `bind`
 * returns has a deprecated property, whose accessors change their prototypes. V8 keeps the shapes of such functions until
 * a full collection, and each shape keeps its whole call. This `bind` does the same without that property.
 */
AsyncResource.bind = (fn, type, thisArg) => {
  const resource = new AsyncResource(type ?? (fn.name || 'bound-anonymous-fn'));
  const bound = function (this: ThisParameterType<typeof fn>, ...args: Parameters<typeof fn>): unknown {
    return resource.runInAsyncScope(fn, thisArg ?? this, ...args);
  };
  return bound as typeof fn;
};
