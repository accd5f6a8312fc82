import { join } from 'node:path';

import { Module, type OnModuleInit } from '@nestjs/common';

import { DatabaseModule } from '../database/database.module';
import { HealthParts } from '../health/health-parts';
import { HealthPartsModule } from '../health/health-parts.module';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { BlobStore } from './blob-store';
import { DiskBlobStore } from './disk-blob-store';
import { DiskStoreRepository } from './disk-store.repository';
import { SharedDisk } from './shared-disk';
import { SETTINGS } from '../config/settings';
import type { StorageSettings } from './storage.settings';
import type { DatabaseSettings } from '../database/database.settings';

/** The service loads the S3 library only if it uses S3, so other starts are faster. */
const s3Store = ({ blobs, dataDir }: StorageSettings & DatabaseSettings): BlobStore => {
  const { S3BlobStore } = module.require('./s3-blob-store') as typeof import('./s3-blob-store');
  return new S3BlobStore(blobs.s3, join(dataDir, 'uploads'));
};

/** The store that the settings select. */
export const blobStoreOf = (settings: StorageSettings & DatabaseSettings): BlobStore =>
  settings.blobs.store === 's3' ? s3Store(settings) : new DiskBlobStore(join(settings.dataDir, 'blobs'));

/** The one blob store of the process. */
@Module({
  imports: [DatabaseModule, HealthPartsModule, TelemetryModule],
  providers: [
    { provide: BlobStore, inject: [SETTINGS], useFactory: blobStoreOf },
    DiskStoreRepository,
    SharedDisk,
  ],
  exports: [BlobStore, SharedDisk],
})
export class StorageModule implements OnModuleInit {
  constructor(
    private readonly blobs: BlobStore,
    private readonly disk: SharedDisk,
    private readonly health: HealthParts,
  ) {}

  onModuleInit(): void {
    this.health.register({
      name: 'storage',
      critical: false,
      check: async () =>
        this.disk.problem === undefined && (await this.blobs.healthy()) ? 'ok' : 'degraded',
    });
  }
}
