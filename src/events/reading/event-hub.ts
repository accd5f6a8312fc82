import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import { type StoredEvent, endOf } from '../log/event.repository';
import { Events } from '../log/events';

/** Somebody who has read all there was, and waits for more of one owner. */
export interface Follower {
  readonly owner: string;
  /** What came behind all that was offered before, as far as a position. Undefined: more than is good to hand on. */
  offer(events: readonly StoredEvent[] | undefined, until: bigint): void;
}

/** Whoever is further behind reads by itself. */
const EVENTS_MAX = 2_000;
const RETRY_MS = 500;
/** Notices can be missed. */
const LOOK_EVERY_MS = 10_000;

/**
 * All who follow the log in this process, with one question for all of them whenever there are new positions, and none
 * while there is nobody.
 */
@Injectable()
export class EventHub implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(EventHub.name);
  private readonly followers = new Map<string, Set<Follower>>();
  /** All followers know all up to here, or are about to be told. */
  private begun = 0n;
  private wanted = 0n;
  private telling = false;
  private timer?: NodeJS.Timeout;
  private stop?: () => void;

  constructor(private readonly events: Events) {}

  async onApplicationBootstrap(): Promise<void> {
    this.stop = this.events.onPlaced((position) => this.placed(position));
    this.placed((await this.events.bounds()).latest);
    this.timer = setInterval(() => void this.lookAnyway(), LOOK_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.stop?.();
  }

  /** False when there is more by now than the follower has read, who is to read on then. */
  join(follower: Follower, read: bigint): boolean {
    if (read < this.begun) return false;
    const { owner } = follower;
    this.followers.set(owner, (this.followers.get(owner) ?? new Set()).add(follower));
    if (this.wanted > this.begun) void this.tell();
    return true;
  }

  leave(follower: Follower): void {
    const those = this.followers.get(follower.owner);
    those?.delete(follower);
    if (those?.size === 0) this.followers.delete(follower.owner);
  }

  private placed(position: bigint): void {
    if (position <= this.wanted) return;
    this.wanted = position;
    void this.tell();
  }

  private async lookAnyway(): Promise<void> {
    if (this.followers.size === 0) return;
    try {
      this.placed((await this.events.bounds()).latest);
    } catch (error) {
      this.logger.warn({ err: error }, 'Whether there are new events is not known; the next look will tell.');
    }
  }

  /** One after the other, so that nobody is told later things first. */
  private async tell(): Promise<void> {
    if (this.telling) return;
    this.telling = true;
    try {
      while (this.begun < this.wanted) await this.tellUntil(this.wanted);
    } finally {
      this.telling = false;
    }
  }

  private async tellUntil(until: bigint): Promise<void> {
    const after = endOf(this.begun);
    // From here on nobody joins who has not read as far.
    this.begun = until;
    const told = [...this.followers.values()].flatMap((those) => [...those]);
    if (told.length === 0) return;
    const found = await this.events
      .between([...this.followers.keys()], after, until, EVENTS_MAX)
      .catch((error: unknown) => {
        this.logger.warn({ err: error }, 'Those who follow events must read them for themselves.');
        return undefined;
      });
    const isWhole = found !== undefined && found.length < EVENTS_MAX;
    const byOwner = new Map<string, StoredEvent[]>();
    for (const event of isWhole ? found : []) {
      const those = byOwner.get(event.owner);
      if (those === undefined) byOwner.set(event.owner, [event]);
      else those.push(event);
    }
    for (const follower of told) {
      follower.offer(isWhole ? (byOwner.get(follower.owner) ?? []) : undefined, until);
    }
    if (found === undefined) await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
  }
}
