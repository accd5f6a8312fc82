import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';

import { BillingModule } from '../../../src/billing/billing.module';
import { NotePricer } from './note.pricer';
import { TeamObservedController } from './observed.controller';
import { TeamFreeController, TeamPaidController } from './team.controllers';
import { DroppedFilter, MaintenanceGuard, Trail, TrailInterceptor } from './team.enhancers';

/** A team's module, written as Nest's documentation teaches. */
@Module({
  imports: [BillingModule],
  controllers: [TeamPaidController, TeamFreeController, TeamObservedController],
  providers: [
    NotePricer,
    Trail,
    { provide: APP_GUARD, useClass: MaintenanceGuard },
    { provide: APP_INTERCEPTOR, useClass: TrailInterceptor },
    { provide: APP_FILTER, useClass: DroppedFilter },
  ],
})
export class TeamModule {}
