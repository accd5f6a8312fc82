import { Injectable } from '@nestjs/common';

import { newId } from '../kernel/ids';
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

/** Copies finished media into our own store: a provider's address is never shown, and may be gone tomorrow. */
@Injectable()
export class MediaStore {
  constructor(
    private readonly blobs: BlobStore,
    private readonly fetcher: SafeFetch,
  ) {}

  async keep(job: Job, result: MediaResult): Promise<StoredMedia> {
    const bytes = 'data' in result ? result.data : await this.fetched(result.url, result.headers);
    const mime = sniffMedia(bytes);
    if (mime === undefined || !mime.startsWith(`${job.kind}/`)) {
      throw new Error(`The result of ${job.id} is no ${job.kind}.`);
    }
    const marked =
      bytes.length > MARKED_BYTES_MAX
        ? bytes
        : withProvenance(bytes, mime, {
            model: job.modelId,
            created: new Date().toISOString(),
            receipt: job.chargeId,
          });
    const id = newId('med');
    const blobKey = `media/${id}`;
    await this.blobs.put(blobKey, marked, { mime });
    return { id, blobKey, mime, bytes: marked.length };
  }

  drop(blobKey: string): Promise<void> {
    return this.blobs.delete(blobKey);
  }

  private async fetched(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    const { stream } = await this.fetcher.open(url, {
      maxBytes: RESULT_BYTES_MAX,
      timeoutMs: FETCH_MS_MAX,
      headers,
    });
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }
}
