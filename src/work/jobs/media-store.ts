import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { Inject, Injectable } from '@nestjs/common';

import { Catalog } from '#models/catalog/catalog';
import { newId } from '#kernel/ids';
import { Slots } from '#kernel/slots';
import { SigningKeys } from '#platform/config/signing-keys';
import { ContentCredentials, type Credential } from '#platform/credentials/content-credentials';
import { SafeFetch } from '#platform/http/outgoing/safe-fetch';
import { MediaTooLarge } from '#platform/http/outgoing/safe-fetch.errors';
import type { MediaKind } from '#platform/media/media-kind';
import { NoMedium, proveResult } from '#platform/media/media-proof';
import { sniffFile } from '#platform/media/sniff-media';
import { BlobStore } from '#platform/storage/blob-store';
import { BlobStoreUnavailable } from '#platform/storage/blob-store.errors';
import { Spool, type SpooledFile } from '#platform/storage/spool';
import { ContentPolicy } from '#models/providers/policy/content-policy';
import type { MediaResult } from '#models/providers/media-provider';
import type { Job } from './job.entity';
import type { MadeMedia } from './job.repository';
import { ManifestSearch, type Note, noteFor } from './provenance';
import { SETTINGS } from '#platform/config/settings';
import type { DatabaseSettings } from '#platform/database/database.settings';
import type { HttpSettings } from '#platform/http/http.settings';
import { ResultBlocked } from '#models/providers/policy/policy.errors';
import { getOrMake } from '#kernel/maps';

const MB = 1024 * 1024;
/** The largest results that are copied. No model makes larger ones. */
const RESULT_BYTES_MAX: Readonly<Record<MediaKind, number>> = { image: 64 * MB, video: 512 * MB };
const FETCH_MS_MAX = 60_000;
/** Concurrent copies from one provider, and those of each owner: slow files do not delay other owners' results. */
const COPIES_MAX = 64;
const COPIES_PER_OWNER_MAX = 4;
/**
 * Copies that may wait, because each may hold its result in memory. An owner without a waiting copy may always add one.
 */
const WAITING_MAX = 100;
const WAITING_PER_OWNER_MAX = 32;

/**
 * Each result of a job has one key, however often the job is polled. A process that dies before it records the key
 * leaves a blob without a row. The next process keeps that blob, because a second signature would change the bytes.
 */
const keyOf = (job: Job, at: number): string => `media/${nameOf(job, at)}`;

/** The first result has the name of its job. */
const nameOf = ({ id }: Job, at: number): string => (at === 0 ? id : `${id}-${at + 1}`);

interface Delivered {
  readonly file: SpooledFile;
  readonly hasManifest: boolean;
}

interface Unlabelled {
  readonly path: string;
  readonly mime: string;
  readonly note?: Note;
  readonly hasManifest: boolean;
}

type StoredFile = Pick<MadeMedia, 'mime' | 'bytes' | 'sha256'>;

/**
 * Copies finished media into our own store, because the provider’s address is never shown and may expire. The download
 * stays on the disk until its content is checked.
 */
@Injectable()
export class MediaStore {
  private readonly slotsByProvider = new Map<string, Slots>();
  private readonly spool: Spool;

  constructor(
    private readonly blobs: BlobStore,
    private readonly fetcher: SafeFetch,
    private readonly keys: SigningKeys,
    private readonly credentials: ContentCredentials,
    private readonly policy: ContentPolicy,
    private readonly catalog: Catalog,
    @Inject(SETTINGS) private readonly settings: DatabaseSettings & HttpSettings,
  ) {
    this.spool = new Spool(join(settings.dataDir, 'results'), false);
  }

  /**
   * Copies all results of a job, or none of them. `begun` is called when each copy starts, which may be some time after
   * this call. `NoMedium` and `ResultBlocked` are final errors. When `signal` aborts, the copy frees its slot at once.
   */
  keep(
    job: Job,
    results: readonly MediaResult[],
    begun: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<readonly MadeMedia[]> {
    const wanted = results.slice(0, job.resultCount); // Nobody has paid for further results.
    const copy = async (): Promise<readonly MadeMedia[]> => {
      if (wanted.length < job.resultCount)
        throw new NoMedium(`${job.id} has ${wanted.length} of its ${job.resultCount} results.`);
      const made: MadeMedia[] = [];
      for (const [at, result] of wanted.entries()) {
        signal.throwIfAborted();
        await begun();
        made.push(await this.copied(job, at, result, signal));
      }
      return made;
    };
    return this.slotsOf(job.provider ?? '').run(copy, job.owner);
  }

  /** Whether a copy for this job would start soon; otherwise its provider is polled later. */
  hasRoomFor({ provider = '', owner }: Job): boolean {
    const slots = this.slotsOf(provider);
    const own = slots.waitingOf(owner);
    return own === 0 || (own < WAITING_PER_OWNER_MAX && slots.waitingOf() < WAITING_MAX);
  }

  /** Deletes the stored results of a job that failed afterwards; most failed jobs have none. */
  async drop(job: Job): Promise<void> {
    for (let at = 0; at < job.resultCount; at += 1) await this.blobs.delete(keyOf(job, at));
  }

  private slotsOf(provider: string): Slots {
    const make = (): Slots => new Slots(COPIES_MAX, { perKey: COPIES_PER_OWNER_MAX });
    return getOrMake(this.slotsByProvider, provider, make);
  }

  private async copied(job: Job, at: number, result: MediaResult, signal: AbortSignal): Promise<MadeMedia> {
    const delivered = await this.take(job, result, signal);
    try {
      signal.throwIfAborted();
      return await this.store(job, at, delivered);
    } finally {
      await rm(delivered.file.path, { force: true });
    }
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

  private async store(job: Job, at: number, { file, hasManifest }: Delivered): Promise<MadeMedia> {
    const mime = await sniffFile(file.path);
    if (mime === undefined || !mime.startsWith(`${job.kind}/`))
      throw new NoMedium(`The result of ${job.id} is no ${job.kind}.`);
    const perceptualHash = await proveResult(job.kind, file.path, job.owner, job.leastResult);
    if (this.policy.screensResults) await this.screen(job, file.path, mime);
    const provenanceId = this.provenanceIdOf(job, at);
    const provenance = `${this.settings.http.publicUrl}/v1/agent/provenance/${provenanceId}`;
    const note = hasManifest
      ? undefined
      : noteFor(mime, file.bytes, { model: job.modelId, created: job.createdAt.toISOString(), provenance });
    const about = { model: job.modelId, madeAt: job.createdAt, provenance };
    const blobKey = keyOf(job, at);
    const stored = await this.labelled(
      { path: file.path, mime, note, hasManifest },
      about,
      job.owner,
      (path) => this.putOnce(blobKey, path, mime),
    );
    return { id: newId('med'), blobKey, ...stored, provenanceId, perceptualHash };
  }

  /** Fails with `ResultBlocked` if the policy forbids the result. */
  private async screen({ kind, modelId }: Job, path: string, mime: string): Promise<void> {
    const policy = this.policy.of(this.catalog.all.media.get(modelId) ?? {});
    const verdict =
      kind === 'image'
        ? await policy.screenImage(await readFile(path), mime)
        : await policy.screenVideo(await sha256Of(path));
    if (!verdict.allowed) throw new ResultBlocked(verdict.category);
  }

  /** Calls `use` with the file for callers: it has the provenance note, and a signature where possible. */
  private async labelled<T>(
    { path, mime, note, hasManifest }: Unlabelled,
    about: Credential,
    owner: string,
    use: (path: string) => Promise<T>,
  ): Promise<T> {
    const noted = await this.spool.take(Readable.from(withNote(path, note)));
    const made = [noted.path];
    try {
      const source = { ...noted, mime, hint: hasManifest };
      const signed = this.credentials.canSign(mime)
        ? await this.credentials.sign(source, about, owner)
        : undefined;
      if (signed !== undefined) made.push(signed);
      return await use(signed ?? noted.path);
    } finally {
      await Promise.all(made.map((one) => rm(one, { force: true })));
    }
  }

  /**
   * Stores the blob once and returns its facts. If an earlier process has stored this key, the facts are those of its
   * blob.
   */
  private async putOnce(key: string, path: string, mime: string): Promise<StoredFile> {
    const hash = createHash('sha256');
    const content = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    };
    const put = await this.blobs.putNew(key, Readable.from(content()), { mime });
    if (put !== undefined) return { mime, bytes: put.bytes, sha256: hash.digest() };
    const kept = await this.blobs.get(key);
    if (kept === undefined) throw new BlobStoreUnavailable(new Error('A stored blob is gone.'));
    const hashOfKept = createHash('sha256');
    for await (const chunk of kept.stream) hashOfKept.update(chunk as Buffer);
    return { mime: kept.mime, bytes: kept.bytes, sha256: hashOfKept.digest() };
  }

  /** Equal for each copy of one result; it leads to no job and no charge. */
  private provenanceIdOf(job: Job, at: number): string {
    return `prv_${this.keys.sign('provenance', nameOf(job, at)).subarray(0, 18).toString('base64url')}`;
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

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

/** The file in one pass, with the note at its place. */
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
