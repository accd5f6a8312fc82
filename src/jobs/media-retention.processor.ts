import { Processor } from '@nestjs/bullmq';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { BlobStore } from '../platform/storage/blob-store';
import { JobRepository } from './job.repository';

export const MEDIA_RETENTION = 'media-retention';
const BATCH = 200;

/** Deletes media whose time is up: the blob first, so that a crash between the two leaves a row that tries again. */
@Processor(MEDIA_RETENTION)
export class MediaRetentionProcessor extends ScheduledProcessor {
  readonly everyMs = 60_000;

  constructor(
    private readonly jobs: JobRepository,
    private readonly blobs: BlobStore,
  ) {
    super();
  }

  async run(): Promise<void> {
    for (const { id, blobKey } of await this.jobs.expiredMedia(BATCH)) {
      await this.blobs.delete(blobKey);
      await this.jobs.dropMedia(id);
    }
  }
}
