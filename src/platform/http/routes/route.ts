import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { withoutAbsent } from '#kernel/present';
import { RequestSlot } from '../request-slot';
import type { LimitName } from '../limits/rate-limits.settings';
import type { DeprecatedField, Deprecation } from './deprecation';

/** The API is below this address. A feature may have other routes elsewhere. */
export const API_ROOT = '/v1/';

/** The checks that prove the caller of a route before the service reads a large body. A feature adds the name of its own. */
export interface AdmissionChecks {}

/** The limits of `@Throttle` and `@SkipThrottle` on a route. If a limit is absent, the default applies. */
export interface RouteThrottle {
  readonly address?: { readonly limit: number; readonly ttl: number } | 'skip';
  readonly payer?: 'limited' | 'skip';
}

/** Options of a route for the hooks that run before Nest and before the body is read. */
export interface RouteOptions {
  /**
   * The limit for the calls of an address. By default, routes below `/v1/` have the limit `free`, and other routes only
   * the limit of all calls. `none` counts nothing: health, metrics, media and the files of pages.
   */
  readonly limit?: LimitName | 'none';
  /** If set, the calls of this route are counted separately from other routes with the same limit. */
  readonly limitedAs?: string;
  /** The values of `@Throttle` and `@SkipThrottle`. The start sets them. */
  readonly throttle?: RouteThrottle;
  /** 64 KB by default. The service refuses a larger body before it reads it. */
  readonly bodyBytesMax?: number;
  /**
   * Set for bodies with media: the service writes large data URIs to the disk while they arrive. A body above the limit
   * gets a 413. If `field` is set, it gets an error that names this field.
   */
  readonly uploads?: { readonly field?: string };
  /**
   * The check that proves a caller with a large body. Routes that always prove their caller have a default, which a
   * feature registers; on all other routes every caller is unproven.
   */
  readonly admission?: keyof AdmissionChecks;
  /**
   * True if the price depends only on the lengths of texts. The service then keeps only these lengths for an unproven
   * caller.
   */
  readonly condenses?: boolean;
  /**
   * The most bytes of a proven caller's body that are kept after its media are taken out; by default the whole body.
   */
  readonly keptBytesMax?: number;
  /** The most bytes that are kept of an unproven caller's body; 64 KB by default. */
  readonly strangersBytesMax?: number;
  /** True if the handler gets the bytes unparsed. */
  readonly raw?: boolean;
  /**
   * True if a multipart form may replace the JSON body. `streamed` if the handler reads the form and its file. `file`
   * if the service stores the one file of the form on the disk for the handler. `urlencoded` if the body is the form of
   * a page: the handler gets its text. Other sites can send such forms without a preflight.
   */
  readonly form?: boolean | 'streamed' | 'file' | 'urlencoded';
  /** True if the route generates content. Callers from sanctioned regions can't call it. */
  readonly generates?: boolean;
  /**
   * True if the route always proves its caller. Until the proof succeeds, the call counts as a challenge against its
   * address.
   */
  readonly provesCaller?: boolean;
  /** Headers of every answer, including early refusals. The handler may replace them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of `@Deprecated` on the route. The start sets them. */
  readonly deprecation?: Deprecation;
  /** The values of `@Deprecated` on the fields of its body and its query. */
  readonly deprecatedFields?: readonly DeprecatedField[];
  /** Facts that features declare for their own guards and hooks, by the name of the fact. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/**
 * Sets the options of a route for the hooks that run before Nest. Another decorator of the route may set options, too:
 * the upper decorator replaces single options, and keeps all others and all facts.
 */
export const HttpRoute = (options: RouteOptions): MethodDecorator =>
  ((_target: object, _name: string | symbol, { value }: TypedPropertyDescriptor<object>): void =>
    addRouteOptions(value!, withoutAbsent(options))) as MethodDecorator;

/** The options of a route that is not registered yet. */
export const routeOptionsAt = (handler: object): RouteOptions =>
  routeOptionsIn(Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler));

/** Adds options to a route. Code must call it before the route is registered. */
export const addRouteOptions = (handler: object, options: RouteOptions): void => {
  const config = (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) ?? {}) as object;
  const before = routeOptionsIn(config);
  const facts = before.facts === undefined ? options.facts : { ...before.facts, ...options.facts };
  const merged = { ...config, options: { ...before, ...options, ...withoutAbsent({ facts }) } };
  Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG_METADATA, merged, handler);
};

interface RequestedRoute {
  /** The declared address; undefined if the request matches no route. */
  readonly url: string | undefined;
  readonly options: RouteOptions;
  readonly bodyLimit: number;
}

const NO_OPTIONS: RouteOptions = {};

/** A route's options, as Fastify stores them. */
export const routeOptionsIn = (config: unknown): RouteOptions =>
  (config as { readonly options?: RouteOptions } | undefined)?.options ?? NO_OPTIONS;

/** Shows each route at or below an address, with its method first. It must be called before the routes are registered. */
export const watchRoutes = (
  instance: FastifyInstance,
  address: string,
  watch: (line: string, options: RouteOptions) => void,
): void => {
  instance.addHook('onRoute', ({ url, method, config }) => {
    if (url !== address && !url.startsWith(`${address}/`)) return;
    for (const name of [method].flat()) watch(`${name} ${url}`, routeOptionsIn(config));
  });
};

const routes = new RequestSlot<RequestedRoute>();

/** The route of a request. It is cached, because Fastify builds the object at each access. */
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
 * The address as the route was declared, for rules by address. A request can spell the same address in other ways, such
 * as `/%761/…` or `http://host/v1/…`, and these must not bypass the rules. If the request matches no route, the result
 * is the sent address.
 */
export const addressOf = (request: FastifyRequest): string => routeOf(request).url ?? request.url;

/** Routers ignore a host before the path and a fragment after it. Both may have any length. */
const AROUND_PATH = /^https?:\/\/.*?(?=\/)|[?#].*$/gis;

/** The path of a request: that of its route, unless a part of that path is variable. */
export const pathOf = (request: FastifyRequest): string => {
  const address = addressOf(request);
  return /[:*]/.test(address) ? request.url.replaceAll(AROUND_PATH, '') : address;
};
