import { applyDecorators } from '@nestjs/common';
import { ApiBody, type ApiBodyOptions, ApiSecurity, type DocumentBuilder } from '@nestjs/swagger';

import { ApiFailures } from './failures';

/** The body of a route, with a valid example. */
export const ApiBodyLike = (type: new () => object, example: object): MethodDecorator =>
  ApiBody({ type, examples: { example: { value: example } } } as ApiBodyOptions);

/** The description of a credential. */
export type SecurityScheme = Parameters<DocumentBuilder['addSecurity']>[1];

/** A route that needs no credential. */
export const PublicRoute = (): MethodDecorator => applyDecorators(ApiSecurity({}), ApiFailures(429));
