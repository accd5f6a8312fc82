import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { BlobStore } from '../platform/storage/blob-store';
import { JobRepository } from './job.repository';

const BATCH = 200;

/**
 * Deletes expired media, and media of released charges. It deletes the blob first, so that after a crash the row causes
 * another try.
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
