import type { Readable } from 'node:stream';

import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { NotFound } from '../kernel/app-error';
import { HttpRoute } from '../platform/http/route';
import { type BlobRange, BlobStore } from '../platform/storage/blob-store';
import { BlobRangeOutside } from '../platform/storage/blob-store.errors';
import { JobRepository } from './job.repository';

const YEAR_SECONDS = 31_536_000;

/**
 * One range, as players ask for it, from the start or of the last bytes; several at once are answered with the whole
 * file, as the protocol allows.
 */
const rangeOf = (header: string | undefined, bytes: number): BlobRange | undefined => {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return { start: Math.max(0, bytes - Number(last)) };
  return { start: Number(first), ...(last === '' ? {} : { end: Number(last) }) };
};

/** Serves finished media from our own store. The bytes never change, and nothing in them may run in a browser. */
@ApiExcludeController()
@Controller('media')
export class MediaController {
  constructor(
    private readonly jobs: JobRepository,
    private readonly blobs: BlobStore,
  ) {}

  @Get(':id')
  @HttpRoute({ limit: 'none' })
  async media(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable | undefined> {
    const media = await this.jobs.media(id);
    if (media === undefined) {
      throw new NotFound('There is no such medium, or its time is up.');
    }
    const range = rangeOf(request.headers.range, media.bytes);
    try {
      const blob = await this.blobs.get(media.blobKey, range);
      if (blob === undefined) {
        throw new NotFound('There is no such medium, or its time is up.');
      }
      const extension = media.mime.split('/')[1] ?? 'bin';
      void reply
        .status(range === undefined ? 200 : 206)
        .header('content-type', media.mime)
        .header('content-length', blob.range.end - blob.range.start + 1)
        .header('accept-ranges', 'bytes')
        .header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
        .header('content-disposition', `inline; filename="${id}.${extension}"`)
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cross-origin-resource-policy', 'cross-origin');
      if (range !== undefined) {
        void reply.header('content-range', `bytes ${blob.range.start}-${blob.range.end}/${blob.bytes}`);
      }
      return blob.stream;
    } catch (error) {
      if (!(error instanceof BlobRangeOutside)) throw error;
      void reply.status(416).header('content-range', `bytes */${media.bytes}`);
      return undefined;
    }
  }
}
