import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';

import { BillingModule } from '#money/billing/billing.module';
import { HealthPartsModule } from '#platform/health/health-parts.module';
import { NotePreparer } from './note.preparer';
import { NotePricer } from './note.pricer';
import { InkIndicator } from './ink.indicator';
import { TeamDeprecatedController } from './deprecated.controller';
import { TeamObservedController } from './observed.controller';
import { teamConfig } from './team.config';
import { TeamFreeController, TeamPaidController } from './team.controllers';
import { TeamThrottledController } from './throttled.controller';
import { TeamTransformedController } from './transformed.controller';
import { TeamQueuesModule } from './team.queues';
import { DroppedFilter, MaintenanceGuard, Trail, TrailInterceptor } from './team.enhancers';

/** A team's module, written as Nest's documentation teaches. */
@Module({
  imports: [
    BillingModule,
    ConfigModule.forFeature(teamConfig),
    HealthPartsModule,
    TerminusModule,
    TeamQueuesModule,
  ],
  controllers: [
    TeamPaidController,
    TeamFreeController,
    TeamObservedController,
    TeamDeprecatedController,
    TeamThrottledController,
    TeamTransformedController,
  ],
  providers: [
    InkIndicator,
    NotePreparer,
    NotePricer,
    Trail,
    { provide: APP_GUARD, useClass: MaintenanceGuard },
    { provide: APP_INTERCEPTOR, useClass: TrailInterceptor },
    { provide: APP_FILTER, useClass: DroppedFilter },
  ],
})
export class TeamModule {}
