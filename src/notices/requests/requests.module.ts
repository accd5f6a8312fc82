import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { BillingModule } from '#money/billing/billing.module';
import { DatabaseModule } from '#platform/database/database.module';
import { CallNoteRepository } from './call-note.repository';
import { CallNoteRetentionProcessor } from './call-note-retention.processor';
import { CallNote } from './call-note.entity';
import { CallSession } from './call-session.entity';
import { CallNotes } from './call-notes';
import { RefusalCount } from './refusal-count.entity';
import { RequestLogRepository } from './request-log.repository';
import { RequestsController } from './requests.controller';
import { RequestsService } from './requests.service';
import { SessionCostRepository } from './session-cost.repository';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';

/** The log of paid calls. */
@Module({
  imports: [
    BillingModule,
    DatabaseModule,
    SweepPausesModule,
    TypeOrmModule.forFeature([CallNote, CallSession, RefusalCount]),
  ],
  controllers: [RequestsController],
  providers: [
    CallNoteRepository,
    CallNoteRetentionProcessor,
    CallNotes,
    RequestLogRepository,
    RequestsService,
    SessionCostRepository,
  ],
})
export class RequestsModule {}
