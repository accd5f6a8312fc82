import { Module } from '@nestjs/common';

import { TelemetryModule } from '../platform/telemetry/telemetry.module';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';

@Module({ imports: [TelemetryModule], controllers: [HealthController], providers: [HealthService] })
export class HealthModule {}
