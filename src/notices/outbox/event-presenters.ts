import { Injectable } from '@nestjs/common';

import type { EventType } from './event-types';

export type EventData = Readonly<Record<string, unknown>>;

/** Turns an object's row of the event's time into the GET answer of the object. `at` is that time. */
export type Present = (row: EventData, at: Date) => object;

/** Each module presents the events of its objects. An event without a presenter is shown as it was written. */
@Injectable()
export class EventPresenters {
  private readonly presenters = new Map<EventType, Present>();

  add(types: readonly EventType[], present: Present): void {
    for (const type of types) {
      if (this.presenters.has(type)) throw new Error(`Two modules present events of the type ${type}.`);
      this.presenters.set(type, present);
    }
  }

  of(type: EventType, row: EventData, at: Date): object {
    return this.presenters.get(type)?.(row, at) ?? row;
  }
}
