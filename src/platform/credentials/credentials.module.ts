import { Module } from '@nestjs/common';

import { TelemetryModule } from '../telemetry/telemetry.module';
import { ContentCredentials } from './content-credentials';
import { CredentialsMetrics } from './credentials.metrics';

/** Signed manifests of results (C2PA). */
@Module({
  imports: [TelemetryModule],
  providers: [ContentCredentials, CredentialsMetrics],
  exports: [ContentCredentials],
})
export class CredentialsModule {}
