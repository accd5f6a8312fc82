import { Injectable } from '@nestjs/common';
import { buffer } from 'node:stream/consumers';

import { Guest } from '#kernel/slots';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { BlobStore } from '#platform/storage/blob-store';
import { Embedder } from '#models/providers/embedder';
import type { Reference } from './reference.entity';
import { ReferenceLibrary } from './reference-library';
import { ENDED_FREE, PAID_FREE, ReferenceRepository } from './reference.repository';
import { bytesOfVector } from './vectors';
import { SweepRows } from '#platform/queue/sweep-rows.repository';

const BATCH = 100;
/** The concurrent embeddings. Each keeps a core busy, or a connection if the embedder is remote. */
const AT_ONCE = 8;
/** The free references of one run, all embedded in parallel. This limit keeps a run short. */
const FREE_AT_ONCE = 2;

/**
 * Makes references searchable, also after a change of the embedder, and deletes blobs without a row. The due work is in
 * rows, so a lost job of the queue loses no work.
 */
@Injectable()
export class ReferencesProcessor extends ScheduledProcessor {
  readonly name = 'references';
  readonly everyMs = 2_000;

  constructor(
    private readonly references: ReferenceRepository,
    private readonly library: ReferenceLibrary,
    private readonly blobs: BlobStore,
    private readonly embedder: Embedder,
    private readonly rows: SweepRows,
  ) {
    super();
  }

  async run(): Promise<void> {
    const { free, trash, toEmbed } = await this.references.due(this.embedder.space);
    await this.each(
      async () => free && this.endFree(),
      async () => trash && this.library.emptyTrash(BATCH),
      async () => toEmbed && Promise.all([this.embedSome(false, BATCH), this.embedSome(true, FREE_AT_ONCE)]),
    );
  }

  private async endFree(): Promise<void> {
    await this.each(
      () => this.rows.run(PAID_FREE),
      () =>
        this.rows.run<{ blob_key: string }>(ENDED_FREE, [], (gone) =>
          this.library.dropBlobs(gone.map(({ blob_key }) => blob_key)),
        ),
    );
  }

  private async embedSome(isFree: boolean, limit: number): Promise<void> {
    const due = await this.references.takeToEmbed(this.embedder.space, isFree, limit);
    const worker = async (): Promise<void> => {
      for (let one = due.shift(); one !== undefined; one = due.shift()) await this.embed(one);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  private async embed(reference: Reference): Promise<void> {
    const { id, owner, isFree, kind, label, blobKey } = reference;
    try {
      const vector = await this.embedder.embedMedia({
        kind,
        owner: isFree ? new Guest(owner) : owner,
        label,
        read: () => this.bytesOf(blobKey),
      });
      await this.references.embedded(id, this.embedder.space, vector && bytesOfVector(vector));
    } catch (error) {
      this.logger.warn(
        { err: error, referenceId: id },
        'A reference could not be embedded; the worker retries.',
      );
      await this.references.embedLater(id);
    }
  }

  private async bytesOf(blobKey: string): Promise<Buffer> {
    const blob = await this.blobs.get(blobKey);
    if (blob === undefined) throw new Error('Its file was deleted.');
    return buffer(blob.stream);
  }
}
