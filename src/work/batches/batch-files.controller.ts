import { Readable } from 'node:stream';

import { Controller, Delete, Get, Param, Post, Query, Req, StreamableFile } from '@nestjs/common';
import { ApiBody, type ApiBodyOptions, ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import type { BatchFile } from './batch-file.entity';
import { BatchFilesService } from './batch-files.service';
import { BatchFileAnswer, BatchFilesAnswer, BatchesQuery, DeletedFileAnswer } from './batches.dto';

/** The file and the rest of its form. */
const FORM_BYTES_MAX = 51 * 1024 * 1024;
const FORM: ApiBodyOptions = {
  schema: {
    type: 'object',
    required: ['purpose', 'file'],
    properties: {
      purpose: { type: 'string', enum: ['batch'] },
      file: { type: 'string', format: 'binary', description: 'JSON lines: 50 MB and 10,000 lines at most.' },
    },
  },
};

const OWN = { scope: 'studio', keysFor: 'Batches' } as const;

/** Files of JSON lines for batches, in the OpenAI shape. */
@ApiTags('generation')
@Controller('v1/files')
export class BatchFilesController {
  constructor(private readonly files: BatchFilesService) {}

  @Post()
  @OwnerRoute({
    ...OWN,
    http: { bodyBytesMax: FORM_BYTES_MAX, form: 'streamed' },
    summary: 'Upload a file of calls for a batch, in the OpenAI shape. Free.',
    description: 'Files are kept for 30 days, encrypted. For owners who have paid before.',
    operationId: 'createFile',
    idempotencyKey: 'Your idempotency key: the same file with the same key is stored once.',
    answer: BatchFileAnswer,
    failures: [400, 402, 409, 413, 415, 422],
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody(FORM)
  async create(@Owner() owner: ProvenOwner, @Req() request: FastifyRequest): Promise<BatchFileAnswer> {
    return answerFor(await this.files.upload(owner, request));
  }

  @Get()
  @OwnerRoute({
    ...OWN,
    summary: 'Your files, newest first. Free.',
    operationId: 'listFiles',
    answer: BatchFilesAnswer,
    failures: [400],
  })
  async list(@Owner() owner: ProvenOwner, @Query() { limit }: BatchesQuery): Promise<BatchFilesAnswer> {
    const found = await this.files.list(owner, limit + 1);
    return { object: 'list', data: found.slice(0, limit).map(answerFor), has_more: found.length > limit };
  }

  @Get(':id')
  @OwnerRoute({
    ...OWN,
    summary: 'One of your files. Free.',
    operationId: 'getFile',
    answer: BatchFileAnswer,
    failures: [404],
  })
  async file(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<BatchFileAnswer> {
    return answerFor(await this.files.find(owner, id));
  }

  @Get(':id/content')
  @OwnerRoute({
    ...OWN,
    summary: 'The lines of a file. Free.',
    operationId: 'getFileContent',
    answer: { content: { 'application/jsonl': { schema: { type: 'string' } } } },
    failures: [404],
  })
  async content(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<StreamableFile> {
    const file = await this.files.find(owner, id);
    return new StreamableFile(Readable.from(this.files.content(file)), { type: 'application/jsonl' });
  }

  @Delete(':id')
  @OwnerRoute({
    ...OWN,
    summary: 'Delete one of your files, with its content. Free.',
    operationId: 'deleteFile',
    answer: DeletedFileAnswer,
    failures: [404, 409],
  })
  async delete(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<DeletedFileAnswer> {
    await this.files.delete(owner, id);
    return { id, object: 'file', deleted: true };
  }
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

const answerFor = ({ id, bytes, createdAt, expiresAt, filename, purpose }: BatchFile): BatchFileAnswer => ({
  id,
  object: 'file',
  bytes,
  created_at: seconds(createdAt),
  expires_at: seconds(expiresAt),
  filename,
  purpose,
  status: 'processed',
});
