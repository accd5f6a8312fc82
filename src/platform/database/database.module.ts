import { Inject, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { BackgroundModule } from '../background/background.module';
import { HealthParts, type PartState } from '../health/health-parts';
import { HealthPartsModule } from '../health/health-parts.module';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { ServiceDataSource, serviceOptions } from './data-source';
import { Database } from './database';
import { DatabaseClock } from './database-clock';
import { databaseUrlOf, isPooled } from './database-url';
import { retryAtStart } from './retry-at-start';
import { missingLimits } from './pooler-limits';
import { hasPendingMigrations } from './migrations';
import { SETTINGS } from '../config/settings';
import type { DatabaseSettings } from './database.settings';

/** `settings.databaseUrl` must be the opened database. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: (settings: DatabaseSettings) => ({
        ...serviceOptions(databaseUrlOf(settings), {
          isPooled: isPooled(settings),
          connections: settings.databaseConnections,
        }),
        retryAttempts: 1, // The library logs each try with its stack trace.
      }),
      dataSourceFactory: (options) => retryAtStart(() => new ServiceDataSource(options!).initialize()),
    }),
    BackgroundModule,
    HealthPartsModule,
    TelemetryModule,
  ],
  providers: [Database, DatabaseClock],
  exports: [Database, DatabaseClock, BackgroundModule],
})
export class DatabaseModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly parts: HealthParts,
    @Inject(SETTINGS) private readonly settings: DatabaseSettings,
  ) {}

  async onModuleInit(): Promise<void> {
    if (isPooled(this.settings)) {
      const problem = await missingLimits(this.database);
      if (problem !== undefined) new Logger('Database').warn(problem);
    }
    this.parts.register({
      name: 'database',
      critical: true,
      check: async (): Promise<PartState> => {
        await this.database.ping();
        return 'ok';
      },
    });
    // A process must not serve calls while the database lacks migrations of its version.
    this.parts.register({
      name: 'migrations',
      critical: true,
      check: async () => ((await hasPendingMigrations(this.database)) ? 'down' : 'ok'),
    });
  }
}
