import { Readable } from 'node:stream';

import { Injectable } from '@nestjs/common';
import sharp from 'sharp';

import type { PaidCall } from '../billing/calls/paid-call';
import { Preparer } from '../billing/calls/preparer';
import { AppError } from '../kernel/app-error';
import { SafeFetch } from '../platform/http/safe-fetch';
import { MediaTooLarge } from '../platform/http/safe-fetch.errors';
import { sniffMedia } from '../platform/media/sniff-media';
import { ContentPolicy, PolicyBlocked } from '../providers/content-policy';
import type { MediaKind } from '../providers/media-mode';
import type { MediaInput } from '../providers/media-provider';
import type { GenerateBody } from './generate.dto';

const MEGABYTE = 1024 * 1024;
/** The largest source of each kind, in bytes. */
export const CAPS: Readonly<Record<MediaKind, number>> = { image: 8 * MEGABYTE, video: 40 * MEGABYTE };
const PIXELS_MAX = 64_000_000;
const FETCH_MS_MAX = 15_000;
const NAMES = ['image', 'image2', 'video'] as const;

/** The source media of a call: screened copies of ours, which is what the provider gets. */
export type PreparedMedia = Partial<Record<(typeof NAMES)[number], MediaInput>>;

class BadMedia extends AppError {
  readonly kind = 'invalid_request';
  readonly code = 'INVALID_REQUEST';

  constructor(param: string, problem: string) {
    super(`${param} ${problem}.`, { param });
  }
}

/** Takes in what a call works from, before any money is held: fetched once, sniffed, decoded and screened. */
@Injectable()
export class MediaIntake extends Preparer<GenerateBody, PreparedMedia> {
  constructor(
    private readonly fetcher: SafeFetch,
    private readonly policy: ContentPolicy,
  ) {
    super();
  }

  async prepare({ body }: PaidCall<GenerateBody>, local: boolean): Promise<PreparedMedia> {
    if (!local || !this.policy.remote) {
      const verdict = await this.policy.screenText(body.prompt);
      if (!verdict.allowed) throw new PolicyBlocked('prompt', verdict.category);
    }
    const media: Record<string, MediaInput> = {};
    for (const name of NAMES) {
      const source = body[name];
      const isData = source?.startsWith('data:') === true;
      if (source === undefined || (local && !isData)) continue;
      media[name] = await this.take(
        name,
        isData ? decodeDataUri(name, source) : await this.fetch(name, source),
        local,
      );
    }
    return media;
  }

  private async take(name: string, bytes: Buffer, local: boolean): Promise<MediaInput> {
    const kind = kindOf(name);
    if (bytes.length > CAPS[kind]) {
      throw new BadMedia(name, `is larger than ${CAPS[kind] / MEGABYTE} MB`);
    }
    const mime = sniffMedia(bytes);
    if (mime === undefined || !mime.startsWith(`${kind}/`)) {
      throw new BadMedia(name, `is no ${kind} of a known type`);
    }
    if (kind === 'image') {
      await proveImage(name, bytes);
      const verdict =
        local && this.policy.remote ? { allowed: true as const } : await this.policy.screenImage(bytes, mime);
      if (!verdict.allowed) throw new PolicyBlocked(name, verdict.category);
    }
    return { kind, mime, bytes: bytes.length, open: () => Promise.resolve(Readable.from([bytes])) };
  }

  private async fetch(name: string, url: string): Promise<Buffer> {
    try {
      const maxBytes = CAPS[kindOf(name)];
      const { stream } = await this.fetcher.open(url, { maxBytes, timeoutMs: FETCH_MS_MAX, param: name });
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    } catch (error) {
      throw error instanceof MediaTooLarge
        ? new BadMedia(name, `is larger than ${CAPS[kindOf(name)] / MEGABYTE} MB`)
        : error;
    }
  }
}

const kindOf = (name: string): MediaKind => (name === 'video' ? 'video' : 'image');

const decodeDataUri = (name: string, uri: string): Buffer => {
  const comma = uri.indexOf(',');
  const head = uri.slice(0, Math.min(comma, 200));
  const data = uri.slice(comma + 1);
  if (
    comma === -1 ||
    !/^data:(image|video)\/[\w.+-]+;base64$/i.test(head) ||
    !/^[A-Za-z0-9+/]*={0,2}$/.test(data)
  ) {
    throw new BadMedia(name, 'must be an address or a data: URI in base64');
  }
  return Buffer.from(data, 'base64');
};

/** Decoding the header tells the size before anybody pays for the pixels; statistics prove that they are there. */
const proveImage = async (name: string, bytes: Buffer): Promise<void> => {
  try {
    const { width, height } = await sharp(bytes, {
      limitInputPixels: PIXELS_MAX,
      failOn: 'error',
    }).metadata();
    if (width * height > PIXELS_MAX) throw new RangeError('pixels');
    await sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'error' }).resize(8, 8).raw().toBuffer();
  } catch {
    throw new BadMedia(name, 'can not be read as an image of at most 64 megapixels');
  }
};
