import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { SweepPauses } from '#platform/queue/sweep-pause.repository';
import { BlobStore } from '#platform/storage/blob-store';
import { MEDIA_DELETION } from './job-sweeps';
import { type MediaBlob, MediaRepository } from './media.repository';

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
    private readonly media: MediaRepository,
    private readonly blobs: BlobStore,
    private readonly pauses: SweepPauses,
  ) {
    super();
  }

  async run(): Promise<void> {
    const due = [...(await this.media.unpaid(BATCH)), ...(await this.media.expired(BATCH))];
    for (const medium of due) await this.delete(medium);
  }

  /** A medium that can't be deleted holds up no other. */
  private async delete({ id, blobKey }: MediaBlob): Promise<void> {
    try {
      await this.blobs.delete(blobKey);
      await this.media.drop(id);
      await this.pauses.done(MEDIA_DELETION, id);
    } catch (error) {
      this.logger.warn(
        { err: error, mediaId: id },
        'A medium could not be deleted; it is tried again later.',
      );
      await this.pauses.failed(MEDIA_DELETION, id);
    }
  }
}
