import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import type { FastifyRequest } from 'fastify';

import type { LimitName } from '../../config/settings';
import { RequestSlot } from '../request-slot';

/** The check that proves the callers of a route before a large body. */
export type AdmissionCheckName = 'payer' | 'owner' | 'tools';

/** The limits of `@Throttle` and `@SkipThrottle` on a route. A missing one has the defaults. */
export interface RouteThrottle {
  readonly address?: { readonly limit: number; readonly ttl: number } | 'skip';
  readonly payer?: 'limited' | 'skip';
}

/** Options of a route for the hooks that run before Nest and before the body is read. */
export interface RouteOptions {
  /**
   * The limit that counts calls by address. Default `free` below `/v1/`, and that of all calls elsewhere. `none` counts
   * nothing: health, metrics, media and the files of pages.
   */
  readonly limit?: LimitName | 'none';
  /** Set to count calls apart from other routes with the same limit. */
  readonly limitedAs?: string;
  /** The values of `@Throttle` and `@SkipThrottle`. Written at the start. */
  readonly throttle?: RouteThrottle;
  /** Default 64 KB. A larger body is refused before it is read. */
  readonly bodyBytesMax?: number;
  /**
   * Set where bodies carry media: large data URIs go to the disk while they stream in. A body beyond the cap is 413, or
   * with a `field` a 400 that names it.
   */
  readonly uploads?: { readonly field?: string };
  /**
   * The check that proves a caller with a large body. Paid routes prove their payer; elsewhere every caller is
   * unproven.
   */
  readonly admission?: AdmissionCheckName;
  /** True if the price depends only on the length of texts: an unproven caller's texts are counted and not kept. */
  readonly condenses?: boolean;
  /** The kept bytes of a body once its media are out; at most the whole body. */
  readonly keptBytesMax?: number;
  /** The kept bytes of an unproven caller's body, if not 64 KB. */
  readonly strangersBytesMax?: number;
  /** True if the handler gets the bytes unparsed. */
  readonly raw?: boolean;
  /**
   * True if a multipart form may replace the JSON body. `streamed` if the handler reads the form and its file. `file` if
   * the body is a form with one file, which waits on the disk.
   */
  readonly form?: boolean | 'streamed' | 'file';
  /** True if something is generated: closed to sanctioned regions. */
  readonly generates?: boolean;
  /** True where each call proves its caller: a try counts as a challenge against its address until that succeeds. */
  readonly provesCaller?: boolean;
  /** True if every answer shows the state of the charge, early refusals included. */
  readonly charges?: boolean;
}

/** Sets the options that apply before a route's body is read. */
export const HttpRoute = (options: RouteOptions): MethodDecorator =>
  RouteConfig({ options }) as MethodDecorator;

/** Adds options to a route, before it is registered. */
export const addRouteOptions = (handler: object, options: RouteOptions): void => {
  const config = (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) ?? {}) as object;
  const merged = { ...config, options: { ...routeOptionsIn(config), ...options } };
  Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG_METADATA, merged, handler);
};

interface RequestedRoute {
  /** Absent where there is no such route. */
  readonly url: string | undefined;
  readonly options: RouteOptions;
  readonly bodyLimit: number;
}

const NO_OPTIONS: RouteOptions = {};

/** A route's options, as Fastify keeps them. */
export const routeOptionsIn = (config: unknown): RouteOptions =>
  (config as { readonly options?: RouteOptions } | undefined)?.options ?? NO_OPTIONS;

const routes = new RequestSlot<RequestedRoute>();

/** The route of a request, cached, because Fastify builds the object at each access. */
export const routeOf = (request: FastifyRequest): RequestedRoute => {
  let route = routes.get(request);
  if (route === undefined) {
    const { url, config, bodyLimit } = request.routeOptions;
    route = { url, options: routeOptionsIn(config), bodyLimit };
    routes.set(request, route);
  }
  return route;
};

export const routeOptionsOf = (request: FastifyRequest): RouteOptions => routeOf(request).options;

/**
 * The address as the route was declared, for rules by address. The same route can be spelt in other ways, such as
 * `/%761/…` or `http://host/v1/…`, which must not bypass them. Without a route, the sent address.
 */
export const addressOf = (request: FastifyRequest): string => routeOf(request).url ?? request.url;
