import { Module } from '@nestjs/common';

import { TelemetryModule } from '../telemetry/telemetry.module';
import { ContentCredentials } from './content-credentials';

/** Signed manifests of results (C2PA). */
@Module({
  imports: [TelemetryModule],
  providers: [ContentCredentials],
  exports: [ContentCredentials],
})
export class CredentialsModule {}
