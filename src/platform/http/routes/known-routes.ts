import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

import { routeOptionsIn } from './route';

const asPattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+')
      .replaceAll('*', '.*')}/?$`,
  );

/** No route has a longer address. Without this limit, each pattern would scan the whole address of a request. */
const PATH_CHARS_MAX = 1_000;

/** Knows the methods of each address. A call with a wrong method gets a 405 that names them. */
@Injectable()
export class KnownRoutes {
  private readonly routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  /** It must run before the routes are registered. It also sets the body limit of each route. */
  watch(instance: FastifyInstance): void {
    instance.addHook('onRoute', (route) => {
      const { bodyBytesMax } = routeOptionsIn(route.config);
      if (bodyBytesMax !== undefined) {
        route.bodyLimit = bodyBytesMax;
      }
      if (route.url !== '*') {
        this.routes.push({ pattern: asPattern(route.url), methods: [route.method].flat() });
      }
    });
  }

  methodsAt(url: string): readonly string[] {
    const path = url.split('?', 1)[0] ?? url;
    if (path.length > PATH_CHARS_MAX) return [];
    const methods = this.routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods);
    return [...new Set(methods)].filter((method) => method !== 'HEAD');
  }
}
