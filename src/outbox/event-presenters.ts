import { Injectable } from '@nestjs/common';

import type { EventType } from './event-types';

export type EventData = Readonly<Record<string, unknown>>;

/** Makes of a row, as it was then, what the GET of its object shows. `at` is when it happened. */
export type Present = (row: EventData, at: Date) => object;

/** Who shows an object says how its events look; what nobody speaks for is shown as it was written. */
@Injectable()
export class EventPresenters {
  private readonly presenters = new Map<EventType, Present>();

  add(types: readonly EventType[], present: Present): void {
    for (const type of types) {
      if (this.presenters.has(type)) throw new Error(`Two modules say how events of the type ${type} look.`);
      this.presenters.set(type, present);
    }
  }

  of(type: EventType, row: EventData, at: Date): object {
    return this.presenters.get(type)?.(row, at) ?? row;
  }
}
