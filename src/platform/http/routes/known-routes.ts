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

/** No route has a longer address. Without this limit, each pattern would scan the whole address. */
const PATH_CHARS_MAX = 1_000;

/** Stores the methods of each address, so that a wrong method is a 405 that names the right ones. */
@Injectable()
export class KnownRoutes {
  private readonly routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  /** Must run before the routes are registered; it also sets each route's body limit. */
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
