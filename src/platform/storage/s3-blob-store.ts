import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { OnApplicationShutdown } from '@nestjs/common';

import { abortAfter } from '#kernel/deadline';
import { withErrorListener } from '#kernel/with-error-listener';
import { checkBlobKey } from './blob-key';
import { type BlobContent, type BlobInfo, type BlobRange, BlobStore, type StoredBlob } from './blob-store';
import { BlobRangeOutside, BlobStoreUnavailable } from './blob-store.errors';
import { Spool } from './spool';
import { StoreBreaker } from './store-breaker';
import type { StorageSettings } from './storage.settings';

export interface S3Timing {
  readonly connectMs: number;
  /** A connection without traffic for this time counts as dead. */
  readonly idleMs: number;
  /**
   * The time from the first byte of a request to the headers of its answer. The upload of a large video must fit into
   * this time.
   */
  readonly requestMs: number;
  readonly healthMs: number;
  /** After this time no further try begins. A small call, with all its tries, takes at most twice this time. */
  readonly giveUpMs: number;
  /**
   * The first pause before a retry. It doubles with each try and has jitter, so that processes do not retry at the same
   * time.
   */
  readonly retryMs: number;
}

const TIMING: S3Timing = {
  connectMs: 3_000,
  idleMs: 10_000,
  requestMs: 120_000,
  healthMs: 1_000,
  giveUpMs: 10_000,
  retryMs: 200,
};
const ATTEMPTS = 3;
/** Any connection transfers a request of this size within seconds. */
const SMALL_BYTES_MAX = 2 * 1024 * 1024;

const ignore = (): void => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

const UNTYPED = 'application/octet-stream';

const nameOf = (error: unknown): string => (error as { name?: string }).name ?? '';

/**
 * Checks the error's name, because the status of a missing bucket is 404, too. That is our fault and must not look like a
 * missing blob.
 */
const isMissing = (error: unknown): boolean => ['NoSuchKey', 'NotFound'].includes(nameOf(error));

const isWorthRetrying = (error: unknown): boolean => {
  const { $metadata: metadata, $retryable: retryable } = error as {
    $metadata?: { httpStatusCode?: number };
    $retryable?: object;
  };
  const status = metadata?.httpStatusCode;
  return retryable !== undefined || status === undefined || status === 429 || status >= 500;
};

class BlobIsThere extends Error {}

/** Blobs in a bucket, for any number of processes. It works with any S3-compatible store. */
export class S3BlobStore extends BlobStore implements OnApplicationShutdown {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly spool: Spool;
  private readonly breaker = new StoreBreaker();

  constructor(
    private readonly settings: StorageSettings['blobs']['s3'],
    spoolFolder: string,
    private readonly timing: S3Timing = TIMING,
  ) {
    super();
    const { endpoint, region, bucket, accessKeyId, secretAccessKey } = settings;
    this.bucket = bucket ?? '';
    this.spool = new Spool(spoolFolder);
    this.client = new S3Client({
      region,
      // Amazon's own endpoint requires the form <bucket>.<host>. Custom endpoints seldom support it.
      endpoint,
      forcePathStyle: endpoint !== undefined,
      ...(accessKeyId === undefined || secretAccessKey === undefined
        ? {}
        : { credentials: () => Promise.resolve(this.credentials) }),
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: timing.connectMs,
        socketTimeout: timing.idleMs,
        requestTimeout: timing.requestMs,
        throwOnRequestTimeout: true,
      },
      // The library would log to the console. The service gets its errors in any case.
      logger: SILENT,
      // Many compatible stores refuse the newer checksum trailers.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /** Credentials may change while the service runs. Temporary credentials are read again before each request. */
  private get credentials() {
    const { accessKeyId = '', secretAccessKey = '' } = this.settings;
    return { accessKeyId, secretAccessKey, expiration: new Date() };
  }

  put(key: string, content: BlobContent, { mime }: { readonly mime: string }): Promise<BlobInfo> {
    return this.write(key, content, { mime });
  }

  async putNew(
    key: string,
    content: BlobContent,
    { mime }: { readonly mime: string },
  ): Promise<BlobInfo | undefined> {
    // Some stores ignore the condition of the upload, so this code checks first.
    if ((await this.head(key)) !== undefined) {
      (content as Partial<Readable>).destroy?.();
      return undefined;
    }
    try {
      return await this.write(key, content, { mime, ifNoneMatch: '*' });
    } catch (error) {
      if (error instanceof BlobIsThere) return undefined;
      throw error;
    }
  }

  private async write(
    key: string,
    content: BlobContent,
    about: { readonly mime: string; readonly ifNoneMatch?: string },
  ): Promise<BlobInfo> {
    checkBlobKey(key);
    const { mime } = about;
    if (content instanceof Uint8Array) {
      await this.breaker.run(() => this.upload(key, () => content, { ...about, bytes: content.byteLength }));
      return { bytes: content.byteLength, mime };
    }
    // S3 requires the length before the content, and a retry needs the bytes a second time, so the content goes to the
    // disk first.
    const { path, bytes } = await this.spool.take(content);
    try {
      await this.breaker.run(() =>
        this.upload(key, () => withErrorListener(createReadStream(path)), { ...about, bytes }),
      );
      return { bytes, mime };
    } finally {
      await rm(path, { force: true });
    }
  }

  async get(key: string, range?: BlobRange): Promise<StoredBlob | undefined> {
    checkBlobKey(key);
    return this.breaker.run(() => this.open(key, range));
  }

  async head(key: string): Promise<BlobInfo | undefined> {
    checkBlobKey(key);
    return this.breaker.run(() => this.headOf(key));
  }

  async delete(key: string): Promise<void> {
    checkBlobKey(key);
    return this.breaker.run(() => this.drop(key));
  }

  /**
   * Checks the store even while the circuit breaker rejects calls. If the store works again, the pause ends at once.
   */
  async healthy(): Promise<boolean> {
    try {
      const abortSignal = AbortSignal.timeout(this.timing.healthMs);
      await this.client.send(new HeadBucketCommand({ Bucket: this.bucket }), { abortSignal });
      this.breaker.worked();
      return true;
    } catch {
      return false;
    }
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  private async open(key: string, range?: BlobRange): Promise<StoredBlob | undefined> {
    const header = range && `bytes=${range.start}-${range.end ?? ''}`;
    try {
      const answer = await this.inTime((abortSignal) =>
        this.client.send(new GetObjectCommand({ Bucket: this.bucket, Key: key, Range: header }), {
          abortSignal,
        }),
      );
      const length = answer.ContentLength ?? 0;
      const [, from = '0', total = String(length)] =
        /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.ContentRange ?? '') ?? [];
      const start = Number(from);
      return {
        stream: answer.Body as Readable,
        bytes: Number(total),
        mime: answer.ContentType ?? UNTYPED,
        range: { start, end: start + length - 1 },
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw nameOf(error) === 'InvalidRange'
        ? new BlobRangeOutside(undefined)
        : new BlobStoreUnavailable(error);
    }
  }

  private async headOf(key: string): Promise<BlobInfo | undefined> {
    try {
      const answer = await this.inTime((abortSignal) =>
        this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: key }), { abortSignal }),
      );
      return { bytes: answer.ContentLength ?? 0, mime: answer.ContentType ?? UNTYPED };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw new BlobStoreUnavailable(error);
    }
  }

  private async drop(key: string): Promise<void> {
    try {
      await this.inTime((abortSignal) =>
        this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: key }), { abortSignal }),
      );
    } catch (error) {
      if (!isMissing(error)) throw new BlobStoreUnavailable(error);
    }
  }

  /**
   * Limits the time of all tries of the library together, because three times the limit of one try would be too long.
   */
  private inTime<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    return abortAfter(2 * this.timing.giveUpMs, late, () => ask(late.signal));
  }

  /**
   * The library retries no stream, because it can't read a stream twice. This method opens a new stream for each try.
   */
  private async upload(
    key: string,
    open: () => Readable | Uint8Array,
    about: { readonly mime: string; readonly bytes: number; readonly ifNoneMatch?: string },
  ): Promise<void> {
    const { mime, bytes, ifNoneMatch } = about;
    const started = Date.now();
    for (let attempt = 1; ; attempt += 1) {
      const body = open();
      try {
        const put = new PutObjectCommand({
          Bucket: this.bucket,
          Key: key,
          Body: body,
          ContentType: mime,
          ContentLength: bytes,
          IfNoneMatch: ifNoneMatch,
        });
        if (bytes > SMALL_BYTES_MAX) await this.client.send(put);
        else await this.inTime((abortSignal) => this.client.send(put, { abortSignal }));
        return;
      } catch (error) {
        if (nameOf(error) === 'PreconditionFailed') throw new BlobIsThere();
        if (ifNoneMatch !== undefined && nameOf(error) === 'NotImplemented')
          return await this.upload(key, open, { mime, bytes });
        const isEarly = Date.now() - started < this.timing.giveUpMs;
        const again =
          !(body instanceof Uint8Array) && attempt < ATTEMPTS && isEarly && isWorthRetrying(error);
        if (!again) throw new BlobStoreUnavailable(error);
        await pause(this.timing.retryMs * 2 ** (attempt - 1) * Math.random());
      } finally {
        (body as Partial<Readable>).destroy?.();
      }
    }
  }
}
