import { Module } from '@nestjs/common';

import { BillingModule } from '../../billing/billing.module';
import { HttpModule } from '../../platform/http/http.module';
import { EventLogModule } from '../log/event-log.module';
import { EventCursors } from './event-cursors';
import { EventHub } from './event-hub';
import { EventStreams } from './event-streams';
import { EventsController } from './events.controller';
import { StreamPlaces } from './stream-places';

/** How callers read the log, and what is open to them for long. */
@Module({
  imports: [BillingModule, EventLogModule, HttpModule],
  controllers: [EventsController],
  providers: [EventCursors, EventHub, EventStreams, StreamPlaces],
  exports: [EventStreams],
})
export class EventsModule {}
