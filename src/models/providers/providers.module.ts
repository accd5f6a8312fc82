import { Module, type Type } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { DatabaseModule } from '#platform/database/database.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { ContentPolicy } from './policy/content-policy';
import { Embedder } from './embedder';
import { makeEmbedder } from './embedding/make-embedder';
import { makePolicy } from './policy/make-policy';
import { Providers } from './providers';
import { ProvidersMetrics } from './providers.metrics';
import { Failover } from './routing/failover';
import { RouteRecords } from './routing/route-records';
import { VENDORS, vendorOf } from './vendors';
import { type CommonSettings, SETTINGS } from '#platform/config/settings';

/** The dependencies of the vendors' adapters. */
const PARTS: readonly Type[] = [...new Set(VENDORS.flatMap(({ parts = [] }) => parts))];

const makeProviders = ({ providers }: CommonSettings, ...parts: readonly object[]): Providers => {
  const part = <T>(type: Type<T>): T => {
    const found = parts.find((each): each is T & object => each instanceof type);
    if (found === undefined) throw new Error(`${type.name} is not among the parts of a vendor.`);
    return found;
  };
  return new Providers(new Map(providers.map((own) => [own.name, vendorOf(own).adapters(own, part)])));
};

@Module({
  imports: [DatabaseModule, TelemetryModule],
  providers: [
    ...PARTS,
    Failover,
    ProvidersMetrics,
    RouteRecords,
    { provide: ContentPolicy, inject: [SETTINGS], useFactory: makePolicy },
    { provide: Embedder, inject: [SETTINGS], useFactory: makeEmbedder },
    { provide: Providers, inject: [SETTINGS, Database, ...PARTS], useFactory: makeProviders },
  ],
  exports: [ContentPolicy, Embedder, Failover, Providers, ProvidersMetrics, RouteRecords],
})
export class ProvidersModule {}
