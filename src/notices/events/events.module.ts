import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { BillingModule } from '#money/billing/billing.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { OutboxModule } from '#notices/outbox/outbox.module';
import { EventCursors } from './event-cursors';
import { EventHub } from './event-hub';
import { EventStreams } from './event-streams';
import { EventsController } from './events.controller';
import { OpenStream } from './open-stream.entity';
import { OpenStreamRepository } from './open-stream.repository';
import { StreamLimits } from './stream-limits';

/** Access of callers to the event log: pages, long polls and streams. */
@Module({
  imports: [BillingModule, DatabaseModule, OutboxModule, HttpModule, TypeOrmModule.forFeature([OpenStream])],
  controllers: [EventsController],
  providers: [EventCursors, EventHub, EventStreams, OpenStreamRepository, StreamLimits],
  exports: [EventStreams],
})
export class EventsModule {}
