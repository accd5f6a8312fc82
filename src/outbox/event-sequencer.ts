import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

import type { BackgroundTask } from '../platform/background/background-task';
import { BackgroundWork } from '../platform/background/background-work';
import { Database } from '../platform/database/database';
import { EventWatermarkRepository } from './event-watermark.repository';

/** What only a charge's row says waits so long, so that a hundred calls a second make no more than this many rows. */
const CALM_MS = 500;
/** Statements that write events one after the other share a look. */
const GAP_MS = 20;

/**
 * Gives events their positions. It looks what has been committed, and keeps what it saw as a watermark, in one statement:
 * nothing is read and nothing is changed for it, however many events there are. Every process that hears of an event looks,
 * so that one which dies is not missed; whoever comes second finds that there is nothing to do.
 */
@Injectable()
export class EventSequencer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(EventSequencer.name);
  private readonly hearers = new Set<(position: bigint) => void>();
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly looking: BackgroundTask;
  private readonly calm: BackgroundTask;
  private readonly tellingLatest: BackgroundTask;

  constructor(
    private readonly db: Database,
    private readonly watermarks: EventWatermarkRepository,
    background: BackgroundWork,
  ) {
    this.looking = background.task('Giving events their positions', () => this.look(false), {
      gapMs: GAP_MS,
    });
    this.calm = background.task('Giving decided charges their positions', async () => {
      // Another process has looked a moment ago, perhaps too early for this charge.
      if (!(await this.look(true))) this.chargeDecided();
    });
    this.tellingLatest = background.task('Reading the newest position', () => this.tellLatest());
  }

  /** Before any call comes in: what this process writes must not be taken for what another cluster wrote. */
  async onApplicationBootstrap(): Promise<void> {
    await this.look(false);
    this.stops.push(
      await this.db.listen(
        'event_written',
        () => this.lookSoon(),
        () => this.lookSoon(),
      ),
      await this.db.listen(
        'event_placed',
        (position) => this.tell(BigInt(position)),
        () => this.tellingLatest.wake(),
      ),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.stops.map((stop) => stop()));
    await Promise.all([this.looking, this.calm, this.tellingLatest].map((task) => task.stop()));
  }

  /** Calls back when there are events up to a position, in whatever process they were found. Positions may be repeated. */
  onPlaced(hear: (position: bigint) => void): () => void {
    this.hearers.add(hear);
    return () => {
      this.hearers.delete(hear);
    };
  }

  /** A charge was decided, which is said by nothing but its row. Many of them share a look. */
  chargeDecided(): void {
    this.calm.wake(CALM_MS);
  }

  /** Looks whatever has happened: a process may have died before it said so. */
  async lookAnyway(): Promise<void> {
    await this.look(true);
  }

  private lookSoon(): void {
    this.looking.wake();
  }

  /**
   * Writes a watermark where one is due, and returns whether one was. The process that lost the race tries again: its
   * snapshot may be older than the commit that it was notified of.
   */
  private async look(anyway: boolean): Promise<boolean> {
    for (;;) {
      const { isAstray, wasWanted, position } = await this.watermarks.advance(anyway, CALM_MS);
      if (isAstray) await this.restart();
      else if (!wasWanted || position !== null) return wasWanted;
    }
  }

  private async restart(): Promise<void> {
    if (await this.watermarks.restart()) {
      this.logger.warn('The database counts its transactions anew, so the event log has started again.');
    }
  }

  private async tellLatest(): Promise<void> {
    this.tell(await this.watermarks.latest());
  }

  private tell(position: bigint): void {
    for (const hear of this.hearers) hear(position);
  }
}
