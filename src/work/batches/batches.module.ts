import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';

import { BillingModule } from '#money/billing/billing.module';
import { CatalogModule } from '#models/catalog/catalog.module';
import { ChatModule } from '#work/chat/chat.module';
import { DelegationModule } from '#people/delegation/delegation.module';
import { BackgroundModule } from '#platform/background/background.module';
import { DatabaseModule } from '#platform/database/database.module';
import { HttpModule } from '#platform/http/http.module';
import { QueueModule } from '#platform/queue/queue.module';
import { SweepPausesModule } from '#platform/queue/sweep-pauses.module';
import { BatchCalls } from './batch-calls';
import { BatchEnds } from './batch-ends';
import { BatchFile } from './batch-file.entity';
import { BatchFileLine } from './batch-file-line.entity';
import { BatchFileRepository } from './batch-file.repository';
import { BatchFilesController } from './batch-files.controller';
import { BatchFilesService } from './batch-files.service';
import { BatchLine } from './batch-line.entity';
import { BATCHES, BatchQueue } from './batch-queue';
import { BatchSweepProcessor } from './batch-sweep.processor';
import { BatchVault } from './batch-vault';
import { BatchWorker } from './batch-worker';
import { Batch } from './batch.entity';
import { BatchLineRepository } from './batch-line.repository';
import { BatchRepository } from './batch.repository';
import { BatchesController } from './batches.controller';
import { BatchesProcessor } from './batches.processor';
import { BatchesService } from './batches.service';

/** Many calls at once: files of calls, and batches that run them within a day. */
@Module({
  imports: [
    BackgroundModule,
    BillingModule,
    CatalogModule,
    ChatModule,
    DatabaseModule,
    DelegationModule,
    HttpModule,
    QueueModule,
    SweepPausesModule,
    QueueModule.queue(BATCHES),
    TypeOrmModule.forFeature([Batch, BatchFile, BatchFileLine, BatchLine]),
  ],
  controllers: [BatchesController, BatchFilesController],
  providers: [
    BatchCalls,
    BatchEnds,
    BatchFileRepository,
    BatchFilesService,
    BatchLineRepository,
    BatchQueue,
    BatchRepository,
    BatchSweepProcessor,
    BatchVault,
    BatchWorker,
    BatchesProcessor,
    BatchesService,
  ],
})
export class BatchesModule {}
