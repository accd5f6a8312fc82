import { Injectable } from '@nestjs/common';

import { InvalidRequest } from '#kernel/app-error';
import { type EventCursor, endOfPosition } from '#notices/outbox/event.repository';
import { EVENT_DAYS } from '#notices/outbox/event-retention';
import { Events } from '#notices/outbox/events';
import { CursorExpired } from './events.errors';

const DAY_MS = 86_400_000;

/** The form of an event's id. Other texts are not searched, because a statement takes parts of an id. */
const EVENT_ID = /^evt_[\w.-]{2,96}$/;

/** A caller's cursor: an event's id, a position (`at_…`) up to which they have read, or `now`. */
@Injectable()
export class EventCursors {
  constructor(private readonly events: Events) {}

  /** Without a cursor, reading starts at the beginning of the kept log. */
  async cursorOf(owner: string, cursor: string | undefined): Promise<EventCursor> {
    const { oldest, latest } = await this.events.bounds();
    if (cursor === undefined) return endOfPosition(oldest);
    if (cursor === 'now') return endOfPosition(latest);
    const position = /^at_(\d{1,15})$/.exec(cursor)?.[1];
    if (position !== undefined && BigInt(position) <= latest) {
      if (BigInt(position) < oldest) throw new CursorExpired();
      return endOfPosition(BigInt(position));
    }
    const found = EVENT_ID.test(cursor) ? await this.events.cursorOf(owner, cursor) : undefined;
    // Events from before the oldest kept watermark appear at this position.
    if (found !== undefined && found.position > oldest) return found;
    if (found !== undefined || isOld(cursor)) throw new CursorExpired();
    throw new InvalidRequest('after must be a cursor of ours, the id of an event of yours, or now.', {
      param: 'after',
    });
  }

  textOf({ position, id }: EventCursor): string {
    return id === '' ? `at_${position}` : id;
  }
}

/** Ids begin with a time, which may explain why an id is unknown. */
const isOld = (cursor: string): boolean => {
  const made = Number.parseInt(/^evt_([0-9a-z]{9})/.exec(cursor)?.[1] ?? '', 36);
  return made < Date.now() - EVENT_DAYS * DAY_MS;
};
