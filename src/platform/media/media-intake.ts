import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';

import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { withErrorListener } from '#kernel/with-error-listener';
import type { Guest } from '#kernel/slots';
import { BodyNotKept } from '../http/body/body.errors';
import { SafeFetch } from '../http/outgoing/safe-fetch';
import { MediaTooLarge } from '../http/outgoing/safe-fetch.errors';
import type { SpooledFile } from '../storage/spool';
import { bytesOfBase64 } from './base64';
import type { Upload } from './data-file';
import { MEDIA_BYTES_MAX, type MediaKind, kindOfType } from './media-kind';
import { proveImage, proveVideo } from './media-proof';
import { BadMedia, UnsupportedMedia } from './media.errors';
import { sniffFile } from './sniff-media';
import { Uploads } from './uploads';

const FETCH_MS_MAX = 15_000;

export interface WantedMedia {
  /** The caller's field that contains it. */
  readonly param: string;
  readonly kinds: readonly MediaKind[];
  /** A lower limit than the limit of its kind. */
  readonly bytesMax?: number;
  /** Whether plain http addresses are allowed. */
  readonly plainHttp?: boolean;
}

interface HashedFile {
  readonly file: SpooledFile;
  readonly sha256: string;
}

/** A medium in our own file, checked against its type. The code that called `take` must discard it. */
export class TakenMedia {
  constructor(
    readonly kind: MediaKind,
    readonly mime: string,
    readonly sha256: string,
    private readonly file: SpooledFile,
    /** The duration, for videos. */
    readonly seconds?: number,
  ) {}

  get bytes(): number {
    return this.file.bytes;
  }

  open(): Promise<Readable> {
    return Promise.resolve(withErrorListener(createReadStream(this.file.path)));
  }

  /** The bytes of the whole file, for images. */
  read(): Promise<Buffer> {
    return readFile(this.file.path);
  }

  discard(): Promise<void> {
    return rm(this.file.path, { force: true });
  }
}

/**
 * Takes in all media of callers, sent as an address or as a data URI. It fetches a medium once through the SSRF guard,
 * limits its size, checks its type by the first bytes, and decodes or probes it. The result is our own copy, and the
 * service never uses the caller's address again.
 */
@Injectable()
export class MediaIntake {
  constructor(
    private readonly fetcher: SafeFetch,
    private readonly uploads: Uploads,
  ) {}

  /** Refuses values that can't be a medium, before the service asks for a payment. */
  check(request: FastifyRequest, source: string, { param, kinds, plainHttp = false }: WantedMedia): void {
    const upload = this.uploads.find(request, source);
    if (upload !== undefined) refuseFault(upload, param, kinds);
    else if (/^data:/i.test(source)) decodeDataUri(param, source);
    else this.fetcher.check(source, { param, plainHttp });
  }

  /**
   * Takes a medium for an owner. Waiting media are decoded round-robin by owner. Media of callers without money come
   * last.
   */
  async take(
    request: FastifyRequest,
    source: string,
    wanted: WantedMedia,
    owner: string | Guest,
  ): Promise<TakenMedia> {
    const { param, kinds, bytesMax = Infinity } = wanted;
    const upload = this.uploads.take(request, source);
    if (upload !== undefined) refuseFault(upload, param, kinds);
    if (upload !== undefined && upload.file === undefined) throw new BodyNotKept();
    const hashed =
      upload?.file === undefined
        ? await this.keep(
            /^data:/i.test(source)
              ? Readable.from([decodeDataUri(param, source)])
              : await this.fetch(source, wanted),
          )
        : { file: upload.file, sha256: upload.sha256 };
    try {
      if (hashed.file.bytes > bytesMax) throw new MediaTooLarge(bytesMax, { param });
      return await this.prove(hashed, wanted, owner);
    } catch (error) {
      await rm(hashed.file.path, { force: true });
      throw error;
    }
  }

  /** A copy of a medium that was checked before. */
  async copy(
    stream: Readable,
    about: { readonly kind: MediaKind; readonly mime: string; readonly seconds?: number },
  ): Promise<TakenMedia> {
    const { file, sha256 } = await this.keep(stream);
    return new TakenMedia(about.kind, about.mime, sha256, file, about.seconds);
  }

  private async prove(
    { file, sha256 }: HashedFile,
    { param, kinds }: WantedMedia,
    owner: string | Guest,
  ): Promise<TakenMedia> {
    const mime = await sniffFile(file.path);
    const kind = mime === undefined ? undefined : kindOfType(mime);
    if (mime === undefined || kind === undefined || !kinds.includes(kind))
      throw new UnsupportedMedia(param, `is no ${kinds.join(' or ')} of a known type`);
    if (file.bytes > MEDIA_BYTES_MAX[kind]) throw new MediaTooLarge(MEDIA_BYTES_MAX[kind], { param });
    if (kind === 'image') {
      await proveImage(param, file.path, owner);
      return new TakenMedia(kind, mime, sha256, file);
    }
    return new TakenMedia(kind, mime, sha256, file, await proveVideo(param, file.path, owner));
  }

  private async fetch(
    url: string,
    { param, kinds, plainHttp = false, bytesMax = Infinity }: WantedMedia,
  ): Promise<Readable> {
    const maxBytes = Math.min(bytesMax, Math.max(...kinds.map((kind) => MEDIA_BYTES_MAX[kind])));
    return (await this.fetcher.open(url, { maxBytes, timeoutMs: FETCH_MS_MAX, param, plainHttp })).stream;
  }

  private async keep(stream: Readable): Promise<HashedFile> {
    const { sha256, ...file } = await this.uploads.spool.takeHashed(stream);
    return { file, sha256 };
  }
}

const refuseFault = ({ fault }: Upload, param: string, kinds: readonly MediaKind[]): void => {
  if (fault === 'too-large') throw tooLarge(param, kinds);
  if (fault === 'broken') throw notBase64(param);
};

const tooLarge = (param: string, kinds: readonly MediaKind[]): MediaTooLarge =>
  new MediaTooLarge(Math.max(...kinds.map((kind) => MEDIA_BYTES_MAX[kind])), { param });

const notBase64 = (param: string): BadMedia =>
  new BadMedia(param, 'must be an https address or a data: URI in base64');

const decodeDataUri = (param: string, uri: string): Buffer => {
  const comma = uri.indexOf(',');
  const head = /^data:([\w.+-]+)\/[\w.+-]+;base64$/i.exec(uri.slice(0, Math.min(comma, 200)));
  const bytes = comma === -1 || head === null ? undefined : bytesOfBase64(uri.slice(comma + 1));
  if (bytes === undefined) throw notBase64(param);
  return bytes;
};
