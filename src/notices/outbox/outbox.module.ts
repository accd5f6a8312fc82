import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';

import { DatabaseModule } from '#platform/database/database.module';
import { EventPresenters } from './event-presenters';
import { EventRepository } from './event.repository';
import { EventSequencer } from './event-sequencer';
import { EventWatermarkRepository } from './event-watermark.repository';
import { EventWatermark } from './event-watermark.entity';
import { Event } from './event.entity';
import { Events } from './events';
import { EventsProcessor } from './events.processor';
import { EventListener } from './listeners/event-listener.entity';
import { EventListenerRepository } from './listeners/event-listener.repository';
import { EventListeners } from './listeners/event-listeners';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';

/**
 * The event log, in an order in which readers miss no event. Statements that change facts write it, and
 * code that informs owners reads it.
 */
@Module({
  imports: [
    DatabaseModule,
    DiscoveryModule,
    SweepPausesModule,
    TypeOrmModule.forFeature([Event, EventListener, EventWatermark]),
  ],
  providers: [
    EventListenerRepository,
    EventListeners,
    EventPresenters,
    EventRepository,
    EventSequencer,
    EventWatermarkRepository,
    Events,
    EventsProcessor,
  ],
  exports: [EventPresenters, EventSequencer, Events],
})
export class OutboxModule {}
