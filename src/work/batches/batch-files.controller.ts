import { Readable } from 'node:stream';

import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import {
  ApiBody,
  type ApiBodyOptions,
  ApiConsumes,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ForOwners, OWNER_ROUTE, Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { ApiIdempotencyKey } from '#platform/http/routes/idempotency-key';
import { HttpRoute } from '#platform/http/routes/route';
import { ApiFailures } from '#platform/openapi/docs';
import type { BatchFile } from './batch-file.entity';
import { BatchFilesService } from './batch-files.service';
import { BatchesService } from './batches.service';
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

/** Files of JSON lines for batches, in the OpenAI shape. */
@ApiTags('generation')
@ApiSecurity('apiKey')
@ApiSecurity('bearerKey')
@ForOwners({ scope: 'studio' })
@Controller('v1/files')
export class BatchFilesController {
  constructor(
    private readonly files: BatchFilesService,
    private readonly batches: BatchesService,
  ) {}

  @Post()
  @HttpCode(200)
  @HttpRoute({ ...OWNER_ROUTE, bodyBytesMax: FORM_BYTES_MAX, form: 'streamed' })
  @ApiConsumes('multipart/form-data')
  @ApiBody(FORM)
  @ApiOperation({
    summary: 'Upload a file of calls for a batch, in the OpenAI shape. Free.',
    description: 'Files are kept for 30 days, encrypted. For owners who have paid before.',
    operationId: 'createFile',
  })
  @ApiIdempotencyKey('Your idempotency key: the same file with the same key is stored once.')
  @ApiOkResponse({ type: BatchFileAnswer })
  @ApiFailures(400, 401, 402, 403, 409, 413, 415, 422, 429, 451)
  async create(@Owner() owner: ProvenOwner, @Req() request: FastifyRequest): Promise<BatchFileAnswer> {
    this.batches.refuseSignIn(owner);
    return answerFor(await this.files.upload(owner, request));
  }

  @Get()
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({ summary: 'Your files, newest first. Free.', operationId: 'listFiles' })
  @ApiOkResponse({ type: BatchFilesAnswer })
  @ApiFailures(400, 401, 403, 429, 451)
  async list(@Owner() owner: ProvenOwner, @Query() { limit }: BatchesQuery): Promise<BatchFilesAnswer> {
    this.batches.refuseSignIn(owner);
    const found = await this.files.list(owner, limit + 1);
    return { object: 'list', data: found.slice(0, limit).map(answerFor), has_more: found.length > limit };
  }

  @Get(':id')
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({ summary: 'One of your files. Free.', operationId: 'getFile' })
  @ApiOkResponse({ type: BatchFileAnswer })
  @ApiFailures(401, 403, 404, 429, 451)
  async file(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<BatchFileAnswer> {
    this.batches.refuseSignIn(owner);
    return answerFor(await this.files.find(owner, id));
  }

  @Get(':id/content')
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({ summary: 'The lines of a file. Free.', operationId: 'getFileContent' })
  @ApiProduces('application/jsonl')
  @ApiOkResponse({ content: { 'application/jsonl': { schema: { type: 'string' } } } })
  @ApiFailures(401, 403, 404, 429, 451)
  async content(
    @Owner() owner: ProvenOwner,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    this.batches.refuseSignIn(owner);
    const file = await this.files.find(owner, id);
    void reply.header('cache-control', 'no-store');
    return new StreamableFile(Readable.from(this.files.content(file)), { type: 'application/jsonl' });
  }

  @Delete(':id')
  @HttpRoute(OWNER_ROUTE)
  @ApiOperation({
    summary: 'Delete one of your files, with its content. Free.',
    operationId: 'deleteFile',
  })
  @ApiOkResponse({ type: DeletedFileAnswer })
  @ApiFailures(401, 403, 404, 409, 429, 451)
  async delete(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<DeletedFileAnswer> {
    this.batches.refuseSignIn(owner);
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
