import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { Database } from '#platform/database/database';
import { EventWatermarkRepository } from './event-watermark.repository';

/**
 * Charges without an event row wait this long, so that a hundred calls a second share one watermark for each interval.
 */
const CALM_MS = 500;
/** Statements that write events within this time share a watermark. */
const GAP_MS = 20;

/**
 * Gives events their positions. One statement stores a snapshot of the committed transactions as a watermark. It reads
 * and changes no event, however many there are. Every notified process tries, so that a dead process does no harm; the
 * later ones find nothing to do.
 */
@Injectable()
export class EventSequencer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(EventSequencer.name);
  private readonly listeners = new Set<(position: bigint) => void>();
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly assigning: BackgroundTask;
  private readonly calm: BackgroundTask;
  private readonly publishing: BackgroundTask;

  constructor(
    private readonly db: Database,
    private readonly watermarks: EventWatermarkRepository,
    background: BackgroundWork,
  ) {
    this.assigning = background.task('Giving events their positions', () => this.assignPositions(false), {
      gapMs: GAP_MS,
    });
    this.calm = background.task('Giving decided charges their positions', async () => {
      // Another process has just written a watermark, perhaps before this charge was committed.
      if (!(await this.assignPositions(true))) this.chargeDecided();
    });
    this.publishing = background.task('Reading the newest position', () => this.publishLatest());
  }

  /** Runs before the first call, so that a restored database is found before this process writes. */
  async onApplicationBootstrap(): Promise<void> {
    await this.assignPositions(false);
    this.stops.push(
      await this.db.listen(
        'event_written',
        () => this.assignSoon(),
        () => this.assignSoon(),
      ),
      await this.db.listen(
        'event_placed',
        (position) => this.publish(BigInt(position)),
        () => this.publishing.wake(),
      ),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.stops.map((stop) => stop()));
    await Promise.all([this.assigning, this.calm, this.publishing].map((task) => task.stop()));
  }

  /** Calls the listener when events up to a position are readable, in any process. A position may be reported twice. */
  onPlaced(listener: (position: bigint) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** A decided charge writes no event row and no notification. Many such charges share a watermark. */
  chargeDecided(): void {
    this.calm.wake(CALM_MS);
  }

  /** Looks without a notification, because a process may have died before it sent one. */
  async assignAnyway(): Promise<void> {
    await this.assignPositions(true);
  }

  private assignSoon(): void {
    this.assigning.wake();
  }

  /**
   * Writes a watermark if one is due, and returns whether it was due. A process that loses the race tries again: the
   * winner's snapshot may be older than the commit that it was notified of.
   */
  private async assignPositions(anyway: boolean): Promise<boolean> {
    for (;;) {
      const { isAstray, wasWanted, position } = await this.watermarks.advance(anyway, CALM_MS);
      if (isAstray) await this.restart();
      else if (!wasWanted || position !== null) return wasWanted;
    }
  }

  private async restart(): Promise<void> {
    if (await this.watermarks.restart()) {
      this.logger.warn(
        'The database has restarted its transaction counter, so the event log has started again.',
      );
    }
  }

  private async publishLatest(): Promise<void> {
    this.publish(await this.watermarks.latest());
  }

  private publish(position: bigint): void {
    for (const listener of this.listeners) listener(position);
  }
}
