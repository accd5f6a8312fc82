import {
  Body,
  Controller,
  Delete,
  Get,
  type OnModuleInit,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DoneAnswer } from '#people/accounts/accounts.dto';
import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { EventPresenters } from '#notices/outbox/event-presenters';
import { audited } from '#people/accounts/audit/audited';
import { REFERENCE_DELETED, REFERENCE_STORED } from './references.audit';
import { REPLAYED_HEADER, idempotentCallOf } from '#platform/http/routes/idempotency-key';
import { tableOf } from '#platform/database/table';
import { Reference } from './reference.entity';
import { ReferenceAddresses } from './reference-addresses';
import { ReferenceLibrary } from './reference-library';
import { FREE_HOURS, FREE_MAX } from './reference-limits';
import {
  MatchedReferencesAnswer,
  NewReferenceBody,
  type ReferenceAnswer,
  ReferencesAnswer,
  StoredReferenceAnswer,
  SearchQuery,
} from './references.dto';

const REFERENCES = tableOf(Reference);

/** A video as a data URI must fit into the body. */
const BODY_BYTES_MAX = 56 * 1024 * 1024;
const KEPT_BYTES_MAX = 64 * 1024;

/** An image of one pixel, for the example. */
const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQImWP4z8AAAAMBAQCc479ZAAAAAElFTkSuQmCC';

const OWN = { scope: 'references', limit: 'references', isForCrawlers: true } as const;

/** A private library for each account and each wallet. */
@ApiTags('references')
@Controller('v1/agent/references')
export class ReferencesController implements OnModuleInit {
  constructor(
    private readonly library: ReferenceLibrary,
    private readonly addresses: ReferenceAddresses,
    private readonly events: EventPresenters,
  ) {}

  onModuleInit(): void {
    this.events.add(['reference.ready'], (row) => ({
      ...this.answerOf(REFERENCES.read(row)),
      vectorReady: 1,
    }));
  }

  @Get()
  @OwnerRoute({
    ...OWN,
    summary: 'Your references.',
    operationId: 'listReferences',
    answer: ReferencesAnswer,
  })
  async list(@Owner() owner: ProvenOwner): Promise<ReferencesAnswer> {
    return { refs: (await this.library.list(owner.id)).map((reference) => this.answerOf(reference)) };
  }

  @Get('search')
  @OwnerRoute({
    ...OWN,
    summary: 'The references that are closest to a text.',
    operationId: 'searchReferences',
    answer: MatchedReferencesAnswer,
    failures: [400, 402, 503],
  })
  async search(
    @Owner() owner: ProvenOwner,
    @Query() { q, limit }: SearchQuery,
  ): Promise<MatchedReferencesAnswer> {
    const matches = (await this.library.search(owner, q)).slice(0, limit);
    return { refs: matches.map(({ reference, score }) => ({ ...this.answerOf(reference), score })) };
  }

  @Post()
  @OwnerRoute({
    ...OWN,
    audit: audited(REFERENCE_STORED, ({ answer: { asset } }: { answer: StoredReferenceAnswer }) => ({
      subject: asset.id,
      detail: asset.label === undefined ? '' : `, ${asset.label}`,
    })),
    http: {
      bodyBytesMax: BODY_BYTES_MAX,
      uploads: { field: 'media' },
      keptBytesMax: KEPT_BYTES_MAX,
      admission: 'owner',
    },
    summary: 'Store an image or a video.',
    description:
      `The same bytes stored again return the same reference. A caller who has never paid may store ${FREE_MAX} ` +
      `references of at most 1 MB, for ${FREE_HOURS} hours.`,
    operationId: 'storeReference',
    idempotencyKey: 'Your idempotency key: the same call with the same key gets the first answer again.',
    body: NewReferenceBody,
    example: { media: DOT, label: 'A red dot' },
    status: 201,
    answer: StoredReferenceAnswer,
    answerHeaders: REPLAYED_HEADER,
    failures: [400, 402, 415, 422, 503],
  })
  async store(
    @Owner() owner: ProvenOwner,
    @Req() request: FastifyRequest,
    @Body() body: NewReferenceBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StoredReferenceAnswer> {
    const call = idempotentCallOf(request);
    const before = call && (await this.library.storedBy(owner.id, call));
    if (before !== undefined) void reply.header('idempotent-replayed', 'true');
    return { ok: true, asset: this.answerOf(before ?? (await this.library.add(owner, request, body, call))) };
  }

  @Delete(':id')
  @OwnerRoute({
    ...OWN,
    audit: audited(REFERENCE_DELETED, 'id'),
    summary: 'Delete a reference, with its medium and its vector.',
    operationId: 'deleteReference',
    answer: DoneAnswer,
    failures: [404],
  })
  async delete(@Owner() owner: ProvenOwner, @Param('id') id: string): Promise<DoneAnswer> {
    await this.library.delete(owner.id, id);
    return { ok: true };
  }

  private answerOf(reference: Reference): ReferenceAnswer {
    const { id, kind, mime, bytes, label, createdAt } = reference;
    return {
      id,
      kind,
      mime,
      bytes,
      label,
      url: this.addresses.urlOf(id),
      vectorReady: this.library.isSearchable(reference) ? 1 : 0,
      createdAt: createdAt.toISOString(),
    };
  }
}
