import { Inject, Injectable, Logger, type Type } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Registry } from 'prom-client';

import { SETTINGS } from '../../config/settings';
import type { HttpSettings } from '../http.settings';
import { inputsOf } from './checked-classes';
import {
  type DeprecatedField,
  type Deprecation,
  deprecatedFieldsOf,
  deprecationHeaders,
  deprecationOf,
  isOver,
} from './deprecation';
import { addRouteOptions, routeOf, routeOptionsAt } from './route';

const PLACES = [
  ['body', RouteParamtypes.BODY],
  ['query', RouteParamtypes.QUERY],
] as const;

/** Announces the end of deprecated routes and fields in the answers, and counts their use. */
@Injectable()
export class DeprecatedRoutes {
  private readonly logger = new Logger('Deprecation');
  private readonly uses = new Counter({
    name: 'lamppost_deprecated_calls_total',
    help: 'Calls that used a deprecated route, or a deprecated field of a route.',
    labelNames: ['method', 'route', 'field'],
    registers: [this.registry],
  });

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly registry: Registry,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /** Reads the decorators once, before the routes are registered. */
  read(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      const controller = metatype as Type | null;
      if (controller === null) continue;
      const prototype = controller.prototype as Record<string, object>;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name]!;
        const deprecation = deprecationOf(handler);
        const inputs = PLACES.flatMap(([place, kind]) =>
          inputsOf(controller, prototype, name, new Set([kind])).flatMap((input) =>
            deprecatedFieldsOf(input, place),
          ),
        );
        const known = routeOptionsAt(handler).deprecatedFields ?? [];
        const isNew = (one: DeprecatedField) =>
          !known.some(({ field, place }) => field === one.field && place === one.place);
        const fields = [...known, ...inputs.filter(isNew)];
        if (deprecation !== undefined) addRouteOptions(handler, { deprecation });
        if (fields.length > 0) addRouteOptions(handler, { deprecatedFields: fields });
        for (const one of [deprecation, ...fields]) this.warnIfOver(one, `${controller.name}.${name}`);
      }
    }
  }

  /** Every answer of a deprecated route has the headers, refusals too. */
  announceRoute(request: FastifyRequest, reply: FastifyReply): void {
    const { deprecation } = routeOf(request).options;
    if (deprecation !== undefined) this.announce(request, reply, deprecation, '');
  }

  /** The answer has the headers of the used field that goes first. */
  announceFields(request: FastifyRequest, reply: FastifyReply): void {
    const { deprecatedFields = [] } = routeOf(request).options;
    const used = deprecatedFields.filter(({ field, place }) => {
      const given = request[place];
      return typeof given === 'object' && given !== null && Object.hasOwn(given, field);
    });
    // The last one sets the headers.
    for (const one of used.sort((a, b) => (a.sunset < b.sunset ? 1 : -1)))
      this.announce(request, reply, one, one.field);
  }

  private announce(
    request: FastifyRequest,
    reply: FastifyReply,
    deprecation: Deprecation,
    field: string,
  ): void {
    const { url = 'none', options } = routeOf(request);
    this.uses.inc({ method: request.method, route: url, field });
    if (field === '' || options.deprecation === undefined)
      void reply.headers(deprecationHeaders(deprecation, this.settings.http.publicUrl));
  }

  private warnIfOver(deprecation: Deprecation | DeprecatedField | undefined, place: string): void {
    if (deprecation === undefined || !isOver(deprecation, Date.now())) return;
    const what = 'field' in deprecation ? `The field ${deprecation.field} of ${place}` : place;
    this.logger.warn(`${what} is past its sunset of ${deprecation.sunset}, so it can be removed.`);
  }
}
