import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { BlobStore } from '../platform/storage/blob-store';
import { JobRepository } from './job.repository';

const BATCH = 200;

/**
 * Deletes media whose time is up, or whose charge was released: the blob first, so that a crash between the two leaves a
 * row that tries again.
 */
@Injectable()
export class MediaRetentionProcessor extends ScheduledProcessor {
  readonly name = 'media-retention';
  readonly everyMs = 10_000;

  constructor(
    private readonly jobs: JobRepository,
    private readonly blobs: BlobStore,
  ) {
    super();
  }

  async run(): Promise<void> {
    const due = [...(await this.jobs.unpaidMedia(BATCH)), ...(await this.jobs.expiredMedia(BATCH))];
    for (const { id, blobKey } of due) {
      await this.blobs.delete(blobKey);
      await this.jobs.dropMedia(id);
    }
  }
}
