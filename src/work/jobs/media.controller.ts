import type { Readable } from 'node:stream';

import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { NotFound } from '#kernel/app-error';
import { replyWithBlob } from '#platform/http/answers/blob-reply';
import { declarePageAccess } from '#platform/http/answers/browser-headers';
import { HttpRoute } from '#platform/http/routes/route';
import { BlobStore } from '#platform/storage/blob-store';
import { MediaRepository } from './media.repository';

declarePageAccess({ open: ['/media/'] });

const YEAR_SECONDS = 31_536_000;

/** Serves finished media from our own store. The bytes never change, and nothing in them may run in a browser. */
@ApiExcludeController()
@Controller('media')
export class MediaController {
  constructor(
    private readonly mediaRows: MediaRepository,
    private readonly blobs: BlobStore,
  ) {}

  @Get(':id')
  @HttpRoute({ limit: 'none' })
  async media(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable | undefined> {
    const media = await this.mediaRows.paid(id);
    if (media === undefined) {
      throw new NotFound('There is no such medium, or its time is up.');
    }
    return replyWithBlob(request, reply, this.blobs, {
      key: media.blobKey,
      mime: media.mime,
      bytes: media.bytes,
      name: id,
      disposition: 'inline',
      cacheControl: `public, max-age=${YEAR_SECONDS}, immutable`,
    });
  }
}
