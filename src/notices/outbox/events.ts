import { Injectable } from '@nestjs/common';

import type { View } from '#people/keys/visible-rows';
import type { Event } from './event.entity';
import { EventPresenters } from './event-presenters';
import { EventRepository, type EventCursor, type StoredEvent, endOfPosition } from './event.repository';
import { EventSequencer } from './event-sequencer';
import { EVENT_TYPES, type EventType, jobEventIds } from './event-types';
import { isShared } from './event-visibility';

/** An event as its owner sees it. */
export interface ShownEvent {
  readonly id: string;
  readonly type: EventType;
  readonly createdAt: string;
  readonly data: object;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** The cursor of the next page. An empty page has one as well. */
  readonly next: EventCursor;
}

type SeenEvent = Pick<StoredEvent, 'id' | 'type' | 'data'>;

/** The event log for readers. */
@Injectable()
export class Events {
  constructor(
    private readonly rows: EventRepository,
    private readonly sequencer: EventSequencer,
    private readonly presenters: EventPresenters,
  ) {}

  /** The readable range of positions. */
  bounds(): ReturnType<EventRepository['bounds']> {
    return this.rows.bounds();
  }

  /** Calls the listener when events up to a position are readable. The returned function ends this. */
  onPlaced(listener: (position: bigint) => void): () => void {
    return this.sequencer.onPlaced(listener);
  }

  /**
   * The events of one owner after a cursor, oldest first: `limit` at most, and fewer only at the end. A cursor before
   * the oldest event is no error here. Code that gets cursors from callers checks `bounds` first.
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

  /** The events of many owners at once, up to a position, for all followers in a process. */
  between(
    owners: readonly string[],
    after: EventCursor,
    until: bigint,
    limit: number,
  ): Promise<StoredEvent[]> {
    return this.rows.between(owners, after, until, EVENT_TYPES, limit);
  }

  /** The cursor of an owner's event, even if the event was written a moment ago. */
  async cursorOf(owner: string, id: string): Promise<EventCursor | undefined> {
    const cursor = await this.rows.cursorOf(owner, id);
    if (cursor !== undefined || !(await this.rows.some([id])).some((event) => event.owner === owner))
      return cursor;
    await this.sequencer.assignAnyway();
    return this.rows.cursorOf(owner, id);
  }

  /** The given events without those that the view does not contain. All belong to the owner of the view. */
  async seenBy<E extends SeenEvent>(view: View, events: readonly E[]): Promise<readonly E[]> {
    const { onlyKey, onlyMember } = view;
    if (onlyKey !== undefined) return events.filter(({ data }) => data['key_id'] === onlyKey);
    if (onlyMember === undefined) return events;
    const members = await this.membersOf(events);
    return events.filter(({ id, type }) => isShared(type) || members.get(id) === onlyMember);
  }

  /** The persons of the calls, keys or endpoints that events are about, by the ids of the events. */
  membersOf(events: readonly SeenEvent[]): Promise<ReadonlyMap<string, string>> {
    return this.rows.membersOf(events);
  }

  /** Events by their ids, of any owner. */
  some(ids: readonly string[]): Promise<readonly Event[]> {
    return this.rows.some(ids);
  }

  /** The events of a job so far, in order, with or without a position. The ids follow from the job's id. */
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
