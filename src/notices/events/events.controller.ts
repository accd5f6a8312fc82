import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { OwnerRoute } from '#money/billing/calls/owner-route';
import { Owner } from '#money/billing/calls/owner.guard';
import type { ProvenOwner } from '#money/billing/calls/owners';
import { InvalidRequest } from '#kernel/app-error';
import { declarePageAccess } from '#platform/http/answers/browser-headers';
import { waitSecondsOf } from '#platform/http/routes/prefer-header';
import { EVENT_TYPES, type EventType } from '#notices/outbox/event-types';
import { Events } from '#notices/outbox/events';
import { EventCursors } from './event-cursors';
import { EventFeed } from './event-feed';
import { EventHub } from './event-hub';
import { EventStreams, leaving } from './event-streams';
import { LONG_POLL_SECONDS_MAX } from './stream-limits';
import { EventsAnswer, EventsQuery } from './events.dto';

declarePageAccess({ headers: ['last-event-id'] });

/** The number of events that a stream reads at once. */
const STREAM_PAGE = 100;

const typesIn = (list: string | undefined): readonly EventType[] => {
  if (list === undefined) return EVENT_TYPES;
  return list.split(',').map((word) => {
    const type = EVENT_TYPES.find((known) => known === word.trim());
    if (type === undefined) {
      throw new InvalidRequest(`types must be a list of ${EVENT_TYPES.join(', ')}.`, { param: 'types' });
    }
    return type;
  });
};

/** The events of an owner: as a page, as a long poll, or as a stream. */
@ApiTags('events')
@Controller('v1/agent/events')
export class EventsController {
  constructor(
    private readonly events: Events,
    private readonly hub: EventHub,
    private readonly cursors: EventCursors,
    private readonly streams: EventStreams,
  ) {}

  @Get()
  @OwnerRoute({
    scope: 'read',
    counts: 'address',
    isForCrawlers: true,
    summary: 'The events of your jobs, charges, balance and references. Free.',
    description:
      'Events come oldest first, each once, and are kept for 30 days. With `Prefer: wait=n` (at most ' +
      `${LONG_POLL_SECONDS_MAX}) the ` +
      'answer waits until there is an event. With `Accept: text/event-stream` the answer is a stream. Each message ' +
      "has the event's `id`, its type as `event` and the whole event as `data`. The stream ends within 15 minutes; " +
      'a new one with `Last-Event-ID` continues without a gap or a repetition.',
    operationId: 'listEvents',
    answer: {
      description: 'A page, or a stream.',
      content: {
        'application/json': {
          schema: { $ref: getSchemaPath(EventsAnswer) },
          example: {
            events: [
              {
                id: 'evt_0mh8x2kqpQ7c2vYb1n0m4Wq.d',
                type: 'job.done',
                createdAt: '2026-11-22T12:00:03.000Z',
                data: {
                  id: 'job_0mh8x2kqpQ7c2vYb1n0m4Wq',
                  status: 'done',
                  url: 'https://lamppost.example/media/med_1',
                  modelId: 'torch-video',
                  kind: 'video',
                  progress: 100,
                  chargeState: 'charged',
                  createdAt: '2026-11-22T12:00:00.000Z',
                  finishedAt: '2026-11-22T12:00:03.000Z',
                },
              },
            ],
            nextCursor: 'at_17',
          },
        },
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
    failures: [400, 410, 503],
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event before the stream broke off. It takes precedence over `after`.',
  })
  @ApiHeader({
    name: 'Prefer',
    required: false,
    description: '`wait=30`: wait so many seconds for an event.',
  })
  @ApiExtraModels(EventsAnswer)
  async list(
    @Owner() owner: ProvenOwner,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query() { after, types: list, limit }: EventsQuery,
    @Headers('last-event-id') lastId: string | undefined,
  ): Promise<void> {
    const types = typesIn(list);
    const cursor = lastId ?? after;
    const feed = new EventFeed(
      this.events,
      this.hub,
      owner.view,
      types,
      await this.cursors.cursorOf(owner.id, cursor),
    );
    try {
      if (String(request.headers.accept).includes('text/event-stream')) {
        await this.stream(request, reply, owner, feed, cursor === 'now');
      } else {
        await reply.send(await this.page(request, reply, owner, feed, limit));
      }
    } finally {
      feed.leave();
    }
  }

  private async page(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: ProvenOwner,
    feed: EventFeed,
    limit: number,
  ): Promise<EventsAnswer> {
    const seconds = Math.min(LONG_POLL_SECONDS_MAX, waitSecondsOf(request) ?? 0);
    let found = await feed.next(limit);
    if (found.length === 0 && seconds > 0) {
      await this.streams.wait(request, leaving(reply), owner, seconds, async (over) => {
        while (found.length === 0 && !over.aborted) {
          await feed.more(over);
          found = await feed.next(limit);
        }
      });
    }
    return {
      events: found.map((event) => this.events.present(event)),
      nextCursor: this.cursors.textOf(feed.cursor),
    };
  }

  private async stream(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: ProvenOwner,
    feed: EventFeed,
    fromNow: boolean,
  ): Promise<void> {
    await this.streams.stream(request, reply, owner, async (sse) => {
      // A reader that is disconnected before the first event can resume as well.
      if (fromNow) sse.mark(this.cursors.textOf(feed.cursor));
      while (!sse.over.aborted) {
        const found = await feed.next(STREAM_PAGE);
        for (const event of found) {
          sse.sendEvent(event.type, JSON.stringify(this.events.present(event)), event.id);
        }
        await sse.room();
        if (found.length === 0) await feed.more(sse.over);
      }
    });
  }
}
