import { ApiExtension } from '@nestjs/swagger';

const AUDIENCE = 'x-audience';

/** `account` has the routes of people and operators; `crawlers` is the selection of the routes for callers. */
type Audience = 'account' | 'crawlers';

/**
 * Puts a route, or all routes of a controller, into one of the documents. Every route of the service that is not in the
 * account document is in the document of callers, without this decorator.
 */
export const InDocument = (audience: Audience): ClassDecorator & MethodDecorator =>
  ApiExtension(AUDIENCE, audience as never) as ClassDecorator & MethodDecorator;

/** The audience of an operation, which readers of a document do not see. */
export const audienceOf = (operation: object): Audience | undefined =>
  (operation as { readonly [AUDIENCE]?: Audience })[AUDIENCE];

export const withoutAudience = <Operation extends object>(operation: Operation): Operation =>
  Object.fromEntries(Object.entries(operation).filter(([name]) => name !== AUDIENCE)) as Operation;
