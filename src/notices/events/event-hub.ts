import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { type StoredEvent, endOfPosition } from '#notices/outbox/event.repository';
import { Events } from '#notices/outbox/events';
import { groupBy } from '#kernel/maps';

/** A reader that has read the whole log, and waits for more events of one owner. */
export interface Follower {
  readonly owner: string;
  /** Receives the new events up to a position, or undefined if they are too many to pass on. */
  offer(events: readonly StoredEvent[] | undefined, until: bigint): void;
}

/** A reader that is further behind reads the log itself. */
const EVENTS_MAX = 2_000;
/** The interval of reads without a notification, because a notification can be lost. */
const CHECK_EVERY_MS = 10_000;

/**
 * All followers of the log in this process. One query serves all of them at each new position. Without followers there
 * is no query.
 */
@Injectable()
export class EventHub implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly followers = new Map<string, Set<Follower>>();
  /** All followers have the events up to here, or are about to get them. */
  private begun = 0n;
  private wanted = 0n;
  private readonly delivering: BackgroundTask;
  private readonly checking: BackgroundTask;
  private stop?: () => void;

  constructor(
    private readonly events: Events,
    background: BackgroundWork,
  ) {
    this.delivering = background.task('Handing events to their followers', () => this.deliver());
    this.checking = background.task('Looking for new events', () => this.checkAnyway(), {
      everyMs: CHECK_EVERY_MS,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    this.stop = this.events.onPlaced((position) => this.placed(position));
    this.placed((await this.events.bounds()).latest);
    this.checking.wake(CHECK_EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stop?.();
    await Promise.all([this.checking.stop(), this.delivering.stop()]);
  }

  /** False if the log has events that the follower has not read; it must read these first. */
  join(follower: Follower, read: bigint): boolean {
    if (read < this.begun) return false;
    const { owner } = follower;
    this.followers.set(owner, (this.followers.get(owner) ?? new Set()).add(follower));
    if (this.wanted > this.begun) this.delivering.wake();
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
    this.delivering.wake();
  }

  private async checkAnyway(): Promise<void> {
    if (this.followers.size === 0) return;
    this.placed((await this.events.bounds()).latest);
  }

  /** Queries run one after the other, so that followers get events in order. */
  private async deliver(): Promise<void> {
    while (this.begun < this.wanted) await this.deliverUntil(this.wanted);
  }

  private async deliverUntil(until: bigint): Promise<void> {
    const after = endOfPosition(this.begun);
    // To join now, a follower must have read up to here.
    this.begun = until;
    const readers = [...this.followers.values()].flatMap((those) => [...those]);
    if (readers.length === 0) return;
    let found: readonly StoredEvent[] | undefined;
    let failure: unknown;
    try {
      found = await this.events.between([...this.followers.keys()], after, until, EVENTS_MAX);
    } catch (error) {
      failure = error; // The followers then read the log themselves.
    }
    const isWhole = found !== undefined && found.length < EVENTS_MAX;
    const byOwner = groupBy(isWhole ? (found ?? []) : [], ({ owner }) => owner);
    for (const follower of readers) {
      follower.offer(isWhole ? (byOwner.get(follower.owner) ?? []) : undefined, until);
    }
    if (failure !== undefined) throw failure;
  }
}
