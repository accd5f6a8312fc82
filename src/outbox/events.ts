import { Injectable } from '@nestjs/common';

import type { Event } from './event.entity';
import { EventPresenters } from './event-presenters';
import { EventRepository, type EventCursor, type StoredEvent, endOfPosition } from './event.repository';
import { EventSequencer } from './event-sequencer';
import { EVENT_TYPES, type EventType, jobEventIds } from './event-types';

/** An event as its owner sees it. */
export interface ShownEvent {
  readonly id: string;
  readonly type: EventType;
  readonly createdAt: string;
  readonly data: object;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Where to read on, whether there were any or not. */
  readonly next: EventCursor;
}

/** The log for whoever reads it. */
@Injectable()
export class Events {
  constructor(
    private readonly rows: EventRepository,
    private readonly sequencer: EventSequencer,
    private readonly presenters: EventPresenters,
  ) {}

  /** The positions between which the log can be read. */
  bounds(): ReturnType<EventRepository['bounds']> {
    return this.rows.bounds();
  }

  /** Calls back when there are events up to a position, until the answer is called. */
  onPlaced(hear: (position: bigint) => void): () => void {
    return this.sequencer.onPlaced(hear);
  }

  /**
   * What one owner was told behind a place, oldest first: at most so many, and fewer only where there are no more. A place
   * that is older than the log throws nothing: whoever lets strangers name places looks at `bounds` first.
   */
  async after(
    owner: string,
    after: EventCursor,
    types: readonly EventType[],
    limit: number,
  ): Promise<EventPage> {
    const { oldest, latest } = await this.rows.bounds();
    const events: StoredEvent[] = [];
    let next = after.position < oldest ? endOfPosition(oldest) : after;
    while (events.length < limit) {
      const count = limit - events.length;
      const reach = (await this.rows.reach(owner, next, types, count)) ?? latest;
      const until = reach < latest ? reach : latest;
      const found = until < next.position ? [] : await this.rows.between([owner], next, until, types, count);
      events.push(...found);
      next =
        found.length === count
          ? found.at(-1)!.cursor
          : endOfPosition(until < next.position ? next.position : until);
      if (until >= latest) break;
    }
    return { events, next };
  }

  /** The same of many owners at once, as far as a position: for those who follow all of them. */
  between(
    owners: readonly string[],
    after: EventCursor,
    until: bigint,
    limit: number,
  ): Promise<StoredEvent[]> {
    return this.rows.between(owners, after, until, EVENT_TYPES, limit);
  }

  /** Where an event of an owner stands, also when it was written a moment ago. */
  async cursorOf(owner: string, id: string): Promise<EventCursor | undefined> {
    const place = await this.rows.cursorOf(owner, id);
    if (place !== undefined || !(await this.rows.some([id])).some((event) => event.owner === owner))
      return place;
    await this.sequencer.lookAnyway();
    return this.rows.cursorOf(owner, id);
  }

  /** Events by their ids, whosever they are. */
  some(ids: readonly string[]): Promise<readonly Event[]> {
    return this.rows.some(ids);
  }

  /** What a job has told of itself so far, in order: it has these by its own id, whether they have a position or not. */
  ofJob(jobId: string): Promise<readonly Event[]> {
    return this.rows.some(jobEventIds(jobId));
  }

  present({ id, type, createdAt, data }: Pick<Event, 'id' | 'type' | 'createdAt' | 'data'>): ShownEvent {
    return {
      id,
      type,
      createdAt: createdAt.toISOString(),
      data: this.presenters.of(type, data, createdAt),
    };
  }
}
