import { Module } from '@nestjs/common';

import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { HealthPartsModule } from '#platform/health/health-parts.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';
import { ModelHealthRepository } from './model-health.repository';
import { StatusRollupProcessor } from './status-rollup.processor';
import { StatusController } from './status.controller';
import { StatusService } from './status.service';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';

/** The health of the parts of the service, and of the models. */
@Module({
  imports: [DatabaseModule, SweepPausesModule, HttpModule, HealthPartsModule, TelemetryModule],
  controllers: [HealthController, StatusController],
  providers: [HealthService, ModelHealthRepository, StatusRollupProcessor, StatusService],
})
export class HealthModule {}
