import { join } from 'node:path';

import { Module, type OnModuleInit } from '@nestjs/common';

import { SETTINGS, type Settings } from '../config/settings';
import { HealthParts } from '../telemetry/health-parts';
import { TelemetryModule } from '../telemetry/telemetry.module';
import { BlobStore } from './blob-store';
import { DiskBlobStore } from './disk-blob-store';
import { S3BlobStore } from './s3-blob-store';

/** The one blob store of the process, as the settings say. */
@Module({
  imports: [TelemetryModule],
  providers: [
    {
      provide: BlobStore,
      inject: [SETTINGS],
      useFactory: ({ blobs, dataDir }: Settings): BlobStore =>
        blobs.store === 's3'
          ? new S3BlobStore(blobs.s3, join(dataDir, 'uploads'))
          : new DiskBlobStore(join(dataDir, 'blobs')),
    },
  ],
  exports: [BlobStore],
})
export class StorageModule implements OnModuleInit {
  constructor(
    private readonly blobs: BlobStore,
    private readonly health: HealthParts,
  ) {}

  onModuleInit(): void {
    this.health.register({
      name: 'storage',
      critical: false,
      check: async () => ((await this.blobs.healthy()) ? 'ok' : 'degraded'),
    });
  }
}
