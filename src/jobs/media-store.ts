import { Readable } from 'node:stream';

import { Injectable } from '@nestjs/common';

import { newId } from '../kernel/ids';
import { Slots } from '../kernel/slots';
import { SafeFetch } from '../platform/http/safe-fetch';
import { sniffMedia } from '../platform/media/sniff-media';
import { BlobStore } from '../platform/storage/blob-store';
import type { MediaResult } from '../providers/media-provider';
import type { Job } from './job';
import type { StoredMedia } from './job.repository';
import { withProvenance } from './provenance';

/** The largest result that is copied; a longer film than any model makes. */
const RESULT_BYTES_MAX = 512 * 1024 * 1024;
/** Files up to this size are marked with where they come from; larger ones are stored as they are. */
const MARKED_BYTES_MAX = 64 * 1024 * 1024;
const FETCH_MS_MAX = 60_000;
/** Copies at once: each may hold as much as a file that is marked. */
const COPIES_MAX = 8;

/**
 * One key for a job, however often it is looked at: who stores it again, because whoever did so died or lost the
 * database before it was written down, writes over the blob that nobody knows of, with the same bytes.
 */
const keyOf = (job: Job): string => `media/${job.id}`;

/** Copies finished media into our own store: a provider's address is never shown, and may be gone tomorrow. */
@Injectable()
export class MediaStore {
  private readonly slots = new Slots(COPIES_MAX);

  constructor(
    private readonly blobs: BlobStore,
    private readonly fetcher: SafeFetch,
  ) {}

  /** `begun` is called when the copy begins, which may be a while after this call. */
  keep(job: Job, result: MediaResult, begun: () => Promise<void>): Promise<StoredMedia> {
    return this.slots.run(async () => {
      await begun();
      return this.copy(job, result);
    });
  }

  /** What was stored for a job that has failed after all; nothing, for most. */
  drop(job: Job): Promise<void> {
    return this.blobs.delete(keyOf(job));
  }

  private async copy(job: Job, result: MediaResult): Promise<StoredMedia> {
    const stream =
      'data' in result ? Readable.from([result.data]) : await this.fetched(result.url, result.headers);
    const { head, rest } = await readUpTo(stream, MARKED_BYTES_MAX);
    try {
      const mime = sniffMedia(head);
      if (mime === undefined || !mime.startsWith(`${job.kind}/`)) {
        throw new Error(`The result of ${job.id} is no ${job.kind}.`);
      }
      const content =
        rest === undefined
          ? withProvenance(head, mime, {
              model: job.modelId,
              created: job.createdAt.toISOString(),
              receipt: job.chargeId,
            })
          : Readable.from(joined(head, rest));
      const blobKey = keyOf(job);
      const { bytes } = await this.blobs.put(blobKey, content, { mime });
      return { id: newId('med'), blobKey, mime, bytes };
    } finally {
      stream.destroy();
    }
  }

  private async fetched(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Readable> {
    const { stream } = await this.fetcher.open(url, {
      maxBytes: RESULT_BYTES_MAX,
      timeoutMs: FETCH_MS_MAX,
      headers,
    });
    return stream;
  }
}

/** The first bytes of a stream, and what comes after them where it is longer than that. */
const readUpTo = async (
  stream: Readable,
  bytesMax: number,
): Promise<{ readonly head: Buffer; readonly rest?: AsyncIterator<Buffer> }> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const all = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (let next = await all.next(); next.done !== true; next = await all.next()) {
    chunks.push(next.value);
    bytes += next.value.length;
    if (bytes > bytesMax) return { head: Buffer.concat(chunks), rest: all };
  }
  return { head: Buffer.concat(chunks) };
};

const joined = async function* (head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
};
