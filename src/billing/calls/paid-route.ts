import type { Type } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants';

import type { PaidOptions } from './paid-call';

/** A paid route, and what it said of itself. */
export interface MarkedRoute {
  readonly controller: Type;
  readonly method: string;
  readonly options: PaidOptions;
}

const marked: MarkedRoute[] = [];

/** Notes a route that is marked `@Paid`. */
export const ListedAsPaid =
  (options: PaidOptions): MethodDecorator =>
  (target, method) => {
    marked.push({ controller: target.constructor as Type, method: String(method), options });
  };

/** Every paid route by its address. */
export const paidRoutes = (): ReadonlyMap<string, MarkedRoute> =>
  new Map(marked.map((route) => [pathOf(route), route]));

/** What Nest would put around a route, and nobody asks around a paid one. */
const AROUND = [GUARDS_METADATA, INTERCEPTORS_METADATA, PIPES_METADATA, EXCEPTION_FILTERS_METADATA];

const pathOf = ({ controller, method }: MarkedRoute): string => {
  const handler = (controller.prototype as Record<string, object>)[method]!;
  if (AROUND.some((key) => Reflect.hasMetadata(key, controller) || Reflect.hasMetadata(key, handler))) {
    throw new Error(
      `${controller.name}.${method} is @Paid: guards, interceptors, pipes and filters of Nest would not be asked. Say it in \`prepare\`.`,
    );
  }
  const parts = [Reflect.getMetadata(PATH_METADATA, controller), Reflect.getMetadata(PATH_METADATA, handler)];
  return `/${parts.map(String).join('/').split('/').filter(Boolean).join('/')}`;
};
