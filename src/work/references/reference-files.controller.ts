import type { Readable } from 'node:stream';

import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { NotFound } from '#kernel/app-error';
import { replyWithBlob } from '#platform/http/answers/blob-reply';
import { HttpRoute } from '#platform/http/routes/route';
import { BlobStore } from '#platform/storage/blob-store';
import { ReferenceAddresses } from './reference-addresses';
import { ReferenceRepository } from './reference.repository';

/**
 * Serves references at their signed addresses. The headers make a browser save the file, so it never shows the file as
 * a page.
 */
@ApiExcludeController()
@Controller('references')
export class ReferenceFilesController {
  constructor(
    private readonly addresses: ReferenceAddresses,
    private readonly references: ReferenceRepository,
    private readonly blobs: BlobStore,
  ) {}

  @Get(':token')
  @HttpRoute({ limit: 'none' })
  async file(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable | undefined> {
    const id = this.addresses.idIn(token);
    const reference = id === undefined ? undefined : await this.references.find(id);
    if (reference === undefined) {
      throw new NotFound('There is no such medium, or its address has expired; list your references again.');
    }
    return replyWithBlob(request, reply, this.blobs, {
      key: reference.blobKey,
      mime: reference.mime,
      bytes: reference.bytes,
      name: reference.id,
      disposition: 'attachment',
      cacheControl: 'private, max-age=300',
    });
  }
}
