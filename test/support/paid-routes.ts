import { type DynamicModule, type Type } from '@nestjs/common';
import { MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { MetadataScanner, Reflector } from '@nestjs/core';

import { AppModule } from '../../src/app.module';
import type { PaidOptions } from '#money/billing/calls/paid-call';
import { PaidRoute } from '#money/billing/calls/paid-routes';
import { readSettings } from '../../src/settings';

export interface PaidMethod {
  readonly controller: Type;
  readonly method: string;
  readonly options: PaidOptions;
}

type Import = Type | DynamicModule | Promise<DynamicModule> | { forwardRef: () => Type };

/** Every controller of the service's modules, listed without starting the service. */
const controllersOf = (imported: Import, seen: Set<unknown>): readonly Type[] => {
  if (imported instanceof Promise || 'forwardRef' in imported || seen.has(imported)) return [];
  seen.add(imported);
  const module = 'module' in imported ? imported.module : imported;
  const dynamic = 'module' in imported ? imported : undefined;
  const own = (key: string): unknown[] => (Reflect.getMetadata(key, module) ?? []) as unknown[];
  return [
    ...(own(MODULE_METADATA.CONTROLLERS) as Type[]),
    ...(dynamic?.controllers ?? []),
    ...[...own(MODULE_METADATA.IMPORTS), ...(dynamic?.imports ?? [])].flatMap((each) =>
      controllersOf(each as Import, seen),
    ),
  ];
};

/** Every route that is marked `@Paid`, by its address, so that a test can be made for each of them. */
export const paidRoutes = (): ReadonlyMap<string, PaidMethod> => {
  const found = new Map<string, PaidMethod>();
  const scanner = new MetadataScanner();
  const reflector = new Reflector();
  for (const controller of new Set(controllersOf(AppModule.with(readSettings({})), new Set()))) {
    const prototype = controller.prototype as Record<string, Type>;
    for (const method of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[method]!;
      const options = reflector.get(PaidRoute, handler);
      if (options === undefined) continue;
      const parts = [controller, handler].map((of) => String(Reflect.getMetadata(PATH_METADATA, of)));
      const path = `/${parts.join('/').split('/').filter(Boolean).join('/')}`;
      found.set(path, { controller, method, options });
    }
  }
  return found;
};
