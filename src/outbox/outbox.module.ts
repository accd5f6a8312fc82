import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { DatabaseModule } from '../platform/database/database.module';
import { EventPresenters } from './event-presenters';
import { EventRepository } from './event.repository';
import { EventSequencer } from './event-sequencer';
import { EventWatermarkRepository } from './event-watermark.repository';
import { EventWatermark } from './event-watermark.entity';
import { Event } from './event.entity';
import { Events } from './events';
import { EventsProcessor } from './events.processor';

/**
 * The event log in an order that hides nothing: written by statements that change facts, read by code that informs
 * owners.
 */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Event, EventWatermark])],
  providers: [
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
