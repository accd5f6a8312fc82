import { DiscoveryService } from '@nestjs/core';

import type { InnerType } from '../event-types';

/** An event as the listeners of this service get it. */
export interface TeamEvent {
  readonly id: string;
  readonly type: InnerType;
  /** The account's id, or the wallet in lower case. */
  readonly owner: string;
  readonly createdAt: Date;
  /** The object of the event, as webhooks show it. */
  readonly data: Readonly<Record<string, unknown>>;
}

interface Listening {
  /** The name of the listener's cursor in the database. A new name begins with the events after its first start. */
  readonly name: string;
  readonly types: readonly InnerType[];
}

/**
 * The method of a provider handles these events, after the commit of each and at least once. One process at a time calls
 * it. If it throws, it gets the event again after a pause that grows.
 */
export const OnEvent = DiscoveryService.createDecorator<Listening>();
