import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { Inject, Injectable } from '@nestjs/common';

import { newId } from '../kernel/ids';
import { Slots } from '../kernel/slots';
import { SETTINGS, type Settings } from '../platform/config/settings';
import { SigningKeys } from '../platform/config/signing-keys';
import { SafeFetch } from '../platform/http/outgoing/safe-fetch';
import { MediaTooLarge } from '../platform/http/outgoing/safe-fetch.errors';
import type { MediaKind } from '../platform/media/media-kind';
import { NoMedium, proveResult } from '../platform/media/media-proof';
import { sniffFile } from '../platform/media/sniff-media';
import { BlobStore } from '../platform/storage/blob-store';
import { Spool, type SpooledFile } from '../platform/storage/spool';
import type { MediaResult } from '../providers/media-provider';
import type { Job } from './job.entity';
import type { MadeMedia } from './job.repository';
import { ManifestSearch, type Note, noteFor } from './provenance';

const MB = 1024 * 1024;
/** The largest results that are copied; larger than any model makes. */
const RESULT_BYTES_MAX: Readonly<Record<MediaKind, number>> = { image: 64 * MB, video: 512 * MB };
const FETCH_MS_MAX = 60_000;
/** Concurrent copies of one provider, and of one owner among them: slow files delay nobody else’s finished ones. */
const COPIES_MAX = 64;
const COPIES_PER_OWNER_MAX = 4;
/** Copies that wait: a result may be in memory. An owner without any may always have one wait. */
const WAITING_MAX = 100;
const WAITING_PER_OWNER_MAX = 32;

/**
 * One key for a job, however often it is polled. A process that dies before it records the key leaves an unknown blob.
 * The next process overwrites that blob with the same bytes.
 */
const keyOf = (job: Job): string => `media/${job.id}`;

interface Delivered {
  readonly file: SpooledFile;
  readonly hasManifest: boolean;
}

/**
 * Copies finished media into our own store, because the provider’s address is never shown and may expire. The download
 * waits on the disk until its content is checked.
 */
@Injectable()
export class MediaStore {
  private readonly slotsByProvider = new Map<string, Slots>();
  private readonly spool: Spool;

  constructor(
    private readonly blobs: BlobStore,
    private readonly fetcher: SafeFetch,
    private readonly keys: SigningKeys,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.spool = new Spool(join(settings.dataDir, 'results'), false);
  }

  /**
   * `begun` is called when the copy starts, which may be some time after this call. Fails with `NoMedium` for good.
   * Releases its slot as soon as `signal` aborts, however slowly the download comes.
   */
  keep(job: Job, result: MediaResult, begun: () => Promise<void>, signal: AbortSignal): Promise<MadeMedia> {
    const copy = async (): Promise<MadeMedia> => {
      signal.throwIfAborted();
      await begun();
      const delivered = await this.take(job, result, signal);
      try {
        signal.throwIfAborted();
        return await this.store(job, delivered);
      } finally {
        await rm(delivered.file.path, { force: true });
      }
    };
    return this.laneOf(job.provider ?? '').run(copy, job.owner);
  }

  /** Whether a copy for this job would start soon; otherwise poll its provider later. */
  hasRoomFor({ provider = '', owner }: Job): boolean {
    const slots = this.laneOf(provider);
    const own = slots.waitingOf(owner);
    return own === 0 || (own < WAITING_PER_OWNER_MAX && slots.waitingOf() < WAITING_MAX);
  }

  /** The stored result of a job that failed afterwards; most have none. */
  drop(job: Job): Promise<void> {
    return this.blobs.delete(keyOf(job));
  }

  private laneOf(provider: string): Slots {
    let slots = this.slotsByProvider.get(provider);
    if (slots === undefined) {
      slots = new Slots(COPIES_MAX, { perKey: COPIES_PER_OWNER_MAX });
      this.slotsByProvider.set(provider, slots);
    }
    return slots;
  }

  private async take(job: Job, result: MediaResult, signal: AbortSignal): Promise<Delivered> {
    const search = new ManifestSearch();
    try {
      const stream =
        'data' in result ? Readable.from([result.data]) : await this.fetched(job, result, signal);
      const file = await this.spool.take(Readable.from(search.watching(stream)));
      return { file, hasManifest: search.found };
    } catch (error) {
      throw error instanceof MediaTooLarge
        ? new NoMedium('The result is larger than anything that was asked for.', { cause: error })
        : error;
    }
  }

  private async store(job: Job, { file, hasManifest }: Delivered): Promise<MadeMedia> {
    const mime = await sniffFile(file.path);
    if (mime === undefined || !mime.startsWith(`${job.kind}/`)) {
      throw new NoMedium(`The result of ${job.id} is no ${job.kind}.`);
    }
    const perceptualHash = await proveResult(job.kind, file.path, job.owner);
    const provenanceId = this.provenanceIdOf(job);
    const note = hasManifest
      ? undefined
      : noteFor(mime, file.bytes, {
          model: job.modelId,
          created: job.createdAt.toISOString(),
          provenance: `${this.settings.http.publicUrl}/v1/agent/provenance/${provenanceId}`,
        });
    const hash = createHash('sha256');
    const content = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of withNote(file.path, note)) {
        hash.update(chunk);
        yield chunk;
      }
    };
    const blobKey = keyOf(job);
    const { bytes } = await this.blobs.put(blobKey, Readable.from(content()), { mime });
    return { id: newId('med'), blobKey, mime, bytes, provenanceId, sha256: hash.digest(), perceptualHash };
  }

  /** The same for each copy of one job; it leads to no job and no charge. */
  private provenanceIdOf(job: Job): string {
    return `prv_${this.keys.sign('provenance', job.id).subarray(0, 18).toString('base64url')}`;
  }

  private async fetched(
    job: Job,
    { url, headers = {} }: Extract<MediaResult, { readonly url: string }>,
    signal: AbortSignal,
  ): Promise<Readable> {
    const { stream } = await this.fetcher.open(url, {
      maxBytes: RESULT_BYTES_MAX[job.kind],
      timeoutMs: FETCH_MS_MAX,
      headers,
      signal,
    });
    return stream;
  }
}

/** The file in one pass, with the AI label in the right place. */
const withNote = async function* (path: string, note: Note | undefined): AsyncGenerator<Buffer> {
  let from = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const at = note === undefined ? -1 : note.at - from;
    from += chunk.length;
    yield note !== undefined && at >= 0 && at < chunk.length
      ? Buffer.concat([chunk.subarray(0, at), note.bytes, chunk.subarray(at)])
      : chunk;
  }
  if (note?.at === from) yield note.bytes;
};
