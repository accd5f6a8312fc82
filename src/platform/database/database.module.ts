import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { serviceOptions } from './data-source';
import { Database } from './database';
import { DATABASE_URL } from './database-url';

/** The database that was opened for this process. There is one, so every module may use it without importing it. */
@Module({})
export class DatabaseModule {
  static with(url: string): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        // The database has just answered: if it is gone by now, waiting in silence would help nobody.
        TypeOrmModule.forRoot({ ...serviceOptions(url), retryAttempts: 1 }),
      ],
      providers: [{ provide: DATABASE_URL, useValue: url }, Database],
      exports: [DATABASE_URL, Database],
    };
  }
}
