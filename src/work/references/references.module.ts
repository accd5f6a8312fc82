import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { BillingModule } from '#money/billing/billing.module';
import { OutboxModule } from '#notices/outbox/outbox.module';
import { AccountsModule } from '#people/accounts/accounts.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { MediaModule } from '#platform/media/media.module';
import { StorageModule } from '#platform/storage/storage.module';
import { HealthParts } from '#platform/health/health-parts';
import { HealthPartsModule } from '#platform/health/health-parts.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { Embedder } from '#models/providers/embedder';
import { ProvidersModule } from '#models/providers/providers.module';
import { ReferenceAllowances } from './reference-allowances';
import { ReferenceAddresses } from './reference-addresses';
import { FreeCount, LibraryCount } from './reference-counts.entity';
import { ReferenceFilesController } from './reference-files.controller';
import { ReferenceLibrary } from './reference-library';
import { ReferenceTrash } from './reference-trash.entity';
import { Reference } from './reference.entity';
import { ReferenceRepository } from './reference.repository';
import { ReferencesController } from './references.controller';
import { ReferencesProcessor } from './references.processor';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';

/** A private library of images and videos for each owner, which calls can use. */
@Module({
  imports: [
    AccountsModule,
    BillingModule,
    DatabaseModule,
    SweepPausesModule,
    OutboxModule,
    HttpModule,
    MediaModule,
    ProvidersModule,
    StorageModule,
    HealthPartsModule,
    TelemetryModule,
    TypeOrmModule.forFeature([FreeCount, LibraryCount, Reference, ReferenceTrash]),
  ],
  controllers: [ReferenceFilesController, ReferencesController],
  providers: [
    ReferenceAllowances,
    ReferenceAddresses,
    ReferenceLibrary,
    ReferenceRepository,
    ReferencesProcessor,
  ],
  exports: [ReferenceLibrary],
})
export class ReferencesModule implements OnModuleInit {
  constructor(
    private readonly embedder: Embedder,
    private readonly parts: HealthParts,
  ) {}

  onModuleInit(): void {
    this.parts.register({
      name: 'embedder',
      critical: false,
      check: () => Promise.resolve(this.embedder.healthy ? 'ok' : 'degraded'),
    });
  }
}
