import { type EventCursor, type StoredEvent, endOfPosition } from '#notices/outbox/event.repository';
import type { EventType } from '#notices/outbox/event-types';
import type { Events } from '#notices/outbox/events';
import { type View, isWholeView } from '#people/keys/visible-rows';
import type { EventHub, Follower } from './event-hub';

/** The most waiting events. A slower reader reads the log again later, so that no buffer grows. */
const WAITING_MAX = 200;

/**
 * A reader of only a part of an owner's log skips the other events. It reads this many events in a step, and this many
 * steps for an answer.
 */
const OTHERS_AT_ONCE = 500;
const PAGES_MAX = 10;

/**
 * One owner's events from a cursor on: first in pages, and then as they are written. A page, a long poll and a stream
 * each get every event once and in order.
 */
export class EventFeed implements Follower {
  private follows = false;
  private waiting: StoredEvent[] = [];
  private wake?: () => void;

  constructor(
    private readonly events: Events,
    private readonly hub: EventHub,
    private readonly view: View,
    private readonly types: readonly EventType[],
    /** The cursor after the last read event. */
    private read: EventCursor,
  ) {}

  get owner(): string {
    return this.view.owner;
  }

  get cursor(): EventCursor {
    return this.read;
  }

  /**
   * Returns at most this many events. Returns none if there are no more for now, or if most of the read events are not
   * for this reader.
   */
  async next(limit: number): Promise<readonly StoredEvent[]> {
    const size = isWholeView(this.view) ? limit : Math.max(limit, OTHERS_AT_ONCE);
    for (let pages = 0; !this.follows && pages < PAGES_MAX; pages += 1) {
      const page = await this.events.after(this.owner, this.read, this.types, size);
      const all = await this.events.seenBy(this.view, page.events);
      const own = all.slice(0, limit);
      this.read = all.length > limit ? own.at(-1)!.cursor : page.next;
      if (own.length > 0) return own;
      if (page.events.length === 0) this.follows = this.hub.join(this, page.next.position);
    }
    const some = this.waiting.splice(0, limit);
    this.read = some.at(-1)?.cursor ?? this.read;
    return some;
  }

  /** Resolves when there may be more, or when the signal aborts. */
  async more(over: AbortSignal): Promise<void> {
    if (this.waiting.length > 0 || !this.follows || over.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        over.removeEventListener('abort', done);
        this.wake = undefined;
        resolve();
      };
      this.wake = done;
      over.addEventListener('abort', done);
    });
  }

  offer(events: readonly StoredEvent[] | undefined, until: bigint): void {
    // A part of the log needs a query, so its reader reads the log again.
    const known = isWholeView(this.view) || events?.length === 0 ? events : undefined;
    const wanted = known?.filter(
      (event) => this.types.includes(event.type) && isBehind(event.cursor, this.read),
    );
    if (wanted === undefined || this.waiting.length + wanted.length > WAITING_MAX) {
      this.leave();
    } else {
      this.waiting.push(...wanted);
      if (this.waiting.length === 0 && until > this.read.position) this.read = endOfPosition(until);
    }
    if (!this.follows || this.waiting.length > 0) this.wake?.();
  }

  /** From now on no event is passed on, because the reader reads the log. */
  leave(): void {
    this.hub.leave(this);
    this.follows = false;
    this.waiting = [];
  }
}

const isBehind = (cursor: EventCursor, read: EventCursor): boolean => {
  if (cursor.position !== read.position) return cursor.position > read.position;
  return cursor.written === read.written ? cursor.id > read.id : cursor.written > read.written;
};
