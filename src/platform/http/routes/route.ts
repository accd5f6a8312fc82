import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import type { FastifyRequest } from 'fastify';

import type { LimitName } from '../../config/settings';
import { RequestSlot } from '../request-slot';

/** The check that proves the callers of a route before a large body. */
export type AdmissionCheckName = 'payer' | 'owner' | 'tools';

/** The limits of `@Throttle` and `@SkipThrottle` on a route. For a missing one, the default applies. */
export interface RouteThrottle {
  readonly address?: { readonly limit: number; readonly ttl: number } | 'skip';
  readonly payer?: 'limited' | 'skip';
}

/** Options of a route for the hooks that run before Nest and before the body is read. */
export interface RouteOptions {
  /**
   * The limit that counts calls by address. The default is `free` below `/v1/`, and the limit of all calls elsewhere.
   * `none` counts nothing: health, metrics, media and the files of pages.
   */
  readonly limit?: LimitName | 'none';
  /** If set, calls are counted apart from other routes with the same limit. */
  readonly limitedAs?: string;
  /** The values of `@Throttle` and `@SkipThrottle`. The start sets them. */
  readonly throttle?: RouteThrottle;
  /** 64 KB by default. A larger body is refused before it is read. */
  readonly bodyBytesMax?: number;
  /**
   * Set for bodies with media: large data URIs are written to the disk while they arrive. A body above the limit is a
   * 413, or with a `field` a 400 that names it.
   */
  readonly uploads?: { readonly field?: string };
  /**
   * The check that proves a caller with a large body. Paid routes prove their payer; on other routes every caller is
   * unproven.
   */
  readonly admission?: AdmissionCheckName;
  /** True if the price depends only on the length of texts: an unproven caller's texts are counted and not kept. */
  readonly condenses?: boolean;
  /** The most bytes of a body that are kept after its media are taken out; by default the whole body. */
  readonly keptBytesMax?: number;
  /** The most bytes that are kept of an unproven caller's body; 64 KB by default. */
  readonly strangersBytesMax?: number;
  /** True if the handler gets the bytes unparsed. */
  readonly raw?: boolean;
  /**
   * True if a multipart form may replace the JSON body. `streamed` if the handler reads the form and its file. `file`
   * if the body is a form with one file, which is stored on the disk for the handler.
   */
  readonly form?: boolean | 'streamed' | 'file';
  /** True if the route generates something: it is closed to sanctioned regions. */
  readonly generates?: boolean;
  /**
   * True if each call proves its caller. Until the proof succeeds, a call counts as a challenge against its address.
   */
  readonly provesCaller?: boolean;
  /** True if every answer shows the state of the charge, including early refusals. */
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
  /** Undefined if there is no such route. */
  readonly url: string | undefined;
  readonly options: RouteOptions;
  readonly bodyLimit: number;
}

const NO_OPTIONS: RouteOptions = {};

/** A route's options, as Fastify stores them. */
export const routeOptionsIn = (config: unknown): RouteOptions =>
  (config as { readonly options?: RouteOptions } | undefined)?.options ?? NO_OPTIONS;

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
 * The address as the route was declared, for rules by address. A request can spell the same route in other ways, such
 * as `/%761/…` or `http://host/v1/…`, which must not bypass these rules. Without a route, the sent address.
 */
export const addressOf = (request: FastifyRequest): string => routeOf(request).url ?? request.url;
