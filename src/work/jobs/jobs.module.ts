import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { AccountsModule } from '#people/accounts/accounts.module';
import { BillingModule } from '#money/billing/billing.module';
import { EventsModule } from '#notices/events/events.module';
import { MarginsModule } from '#money/margins/margins.module';
import { OutboxModule } from '#notices/outbox/outbox.module';
import { CatalogModule } from '#models/catalog/catalog.module';
import { CredentialsModule } from '#platform/credentials/credentials.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { QueueModule } from '#platform/queue/queue.module';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';
import { StorageModule } from '#platform/storage/storage.module';
import { TelemetryModule } from '#platform/telemetry/telemetry.module';
import { ProvidersModule } from '#models/providers/providers.module';
import { InProcessMedia } from './in-process-media';
import { JobCanceller } from './job-canceller';
import { JobLeases } from './job-leases';
import { JobPoller } from './job-poller';
import { JobStreamController } from './job-stream.controller';
import { JobNotifier } from './job-notifier';
import { JobPollProcessor } from './job-poll.processor';
import { Job } from './job.entity';
import { DueJobsRepository } from './due-jobs.repository';
import { JobRepository } from './job.repository';
import { MediaRepository } from './media.repository';
import { ProvenanceRepository } from './provenance.repository';
import { JobEvents } from './job-events';
import { JobSubmission } from './job-submission';
import { JobWaiter } from './job-waiter';
import { JobLongPoll } from './job-long-poll';
import { JobSubscriptions } from './job-subscriptions';
import { JobsController } from './jobs.controller';
import { JobsService } from './jobs.service';
import { RefundSweepProcessor } from './refund-sweep.processor';
import { LateRefunds } from './late-refunds';
import { Media } from './media.entity';
import { MediaController } from './media.controller';
import { MediaRetentionProcessor } from './media-retention.processor';
import { MediaStore } from './media-store';
import { OwnJobsController } from './own-jobs.controller';
import { Provenance } from './provenance.entity';
import { ProvenanceCheckController } from './provenance-check.controller';
import { ProvenanceController } from './provenance.controller';

/** Work that outlasts its call: submitted, polled, stored, and refunded if it fails late. */
@Module({
  imports: [
    AccountsModule,
    BillingModule,
    CatalogModule,
    CredentialsModule,
    DatabaseModule,
    OutboxModule,
    EventsModule,
    HttpModule,
    MarginsModule,
    ProvidersModule,
    QueueModule,
    SweepPausesModule,
    StorageModule,
    TelemetryModule,
    TypeOrmModule.forFeature([Job, Media, Provenance]),
  ],
  controllers: [
    JobStreamController,
    OwnJobsController,
    JobsController,
    MediaController,
    ProvenanceCheckController,
    ProvenanceController,
  ],
  providers: [
    InProcessMedia,
    JobCanceller,
    JobLeases,
    JobPoller,
    JobNotifier,
    JobPollProcessor,
    DueJobsRepository,
    JobRepository,
    JobEvents,
    JobSubmission,
    JobsService,
    JobWaiter,
    JobLongPoll,
    JobSubscriptions,
    RefundSweepProcessor,
    LateRefunds,
    MediaRetentionProcessor,
    MediaRepository,
    MediaStore,
    ProvenanceRepository,
  ],
  exports: [InProcessMedia, JobSubmission, JobsService, JobEvents, JobWaiter, JobLongPoll],
})
export class JobsModule {}
