import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import type { FastifyRequest } from 'fastify';

import type { LimitName } from '../../config/settings';
import { RequestSlot } from '../request-slot';

/** Whom a route asks what stands behind its calls. */
export type AdmissionCheckName = 'payer' | 'owner' | 'tools';

/** The limits that `@Throttle` and `@SkipThrottle` set for a route. What is absent has the defaults. */
export interface RouteThrottle {
  readonly address?: { readonly limit: number; readonly ttl: number } | 'skip';
  readonly payer?: 'limited' | 'skip';
}

/** What a route wants from the ground below Nest, where it can be had before the body is read. */
export interface RouteOptions {
  /**
   * The limit that counts calls by address. Default `free` below `/v1/`, and that of all calls elsewhere. `none` is not
   * counted at all: health, metrics, media and the files of pages.
   */
  readonly limit?: LimitName | 'none';
  /** Set where calls are counted apart from those of other routes with the same limit. */
  readonly limitedAs?: string;
  /** What `@Throttle` and `@SkipThrottle` say. Written at the start. */
  readonly throttle?: RouteThrottle;
  /** Default 64 KB. A larger body is refused before it is read. */
  readonly bodyBytesMax?: number;
  /**
   * Set where bodies carry media: large data URIs go to the disk while they stream in. A body beyond the cap is 413, or
   * with a `field` a 400 that names it.
   */
  readonly uploads?: { readonly field?: string };
  /**
   * Who says what stands behind a call, where its body may be larger than a stranger's. Paid routes ask for their payer;
   * elsewhere everybody is a stranger.
   */
  readonly admission?: AdmissionCheckName;
  /** True where the price depends on nothing but how long texts are: a stranger's are counted and not kept. */
  readonly condenses?: boolean;
  /** What is left of anybody's body once its media are out; no more than the whole body may be. */
  readonly keptBytesMax?: number;
  /** What is kept of a stranger's body, where that isn't 64 KB. */
  readonly strangersBytesMax?: number;
  /** True where the bytes are handed on as they came, without being read. */
  readonly raw?: boolean;
  /** True where a multipart form may stand for the JSON body. */
  readonly form?: boolean;
  /** True where something is generated: closed to sanctioned regions. */
  readonly generates?: boolean;
  /** True where each call proves its caller: a try counts as a challenge against its address until that succeeds. */
  readonly provesCaller?: boolean;
  /** True where every answer says what became of the money, those included that are given before the route is asked. */
  readonly charges?: boolean;
}

/** Says what a route wants before its body is read. */
export const HttpRoute = (options: RouteOptions): MethodDecorator =>
  RouteConfig({ options }) as MethodDecorator;

/** Adds to what a route wants, before it is registered. */
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

/** What a route said, as Fastify keeps it. */
export const routeOptionsIn = (config: unknown): RouteOptions =>
  (config as { readonly options?: RouteOptions } | undefined)?.options ?? NO_OPTIONS;

const routes = new RequestSlot<RequestedRoute>();

/** The route of a request. Fastify puts it together each time that it is asked, which a dozen of us do. */
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
 * The address as the route was declared, for rules that go by address: the same route can be written in other ways,
 * such as `/%761/…` or `http://host/v1/…`, which must not lead around them. Where there is no route, what was sent.
 */
export const addressOf = (request: FastifyRequest): string => routeOf(request).url ?? request.url;
