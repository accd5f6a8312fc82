import { Injectable, type OnModuleInit } from '@nestjs/common';

import { BackgroundWork } from '../background/background-work';
import { Database } from './database';

const READ_EVERY_MS = 10_000;
/**
 * A slow answer makes a reading imprecise, so the clock uses the best of this many readings. It drops older ones,
 * because another server may have taken over.
 */
const READINGS = 6;

/**
 * Estimates the database's time without a query for each call. The estimate is never later than the true time. The
 * clocks of processes differ, and a statement that is delayed on its way can't show when its call arrived.
 */
@Injectable()
export class DatabaseClock implements OnModuleInit {
  /** The newest readings: each is the least time by which the database's clock is ahead of ours. */
  private aheads: number[] = [];
  private readAt = 0;

  constructor(
    private readonly db: Database,
    private readonly background: BackgroundWork,
  ) {}

  /**
   * The start continues if the database is lost at this moment. Until the first reading, every time is the oldest
   * possible time.
   */
  async onModuleInit(): Promise<void> {
    await this.measure().catch(() => undefined);
  }

  /** The time `ms` milliseconds ago. It reads the database's clock again if the last reading is old. */
  ago(ms: number): Date {
    const now = performance.now();
    if (now - this.readAt > READ_EVERY_MS) {
      this.readAt = now;
      this.background.detach('Reading the clock of the database', () => this.measure());
    }
    return new Date(this.aheads.length === 0 ? 0 : Math.max(...this.aheads) + now - ms);
  }

  private async measure(): Promise<void> {
    const row = await this.db.one<{ now: Date }>('select clock_timestamp() as now', [], 'clock');
    this.readAt = performance.now();
    if (row !== undefined) this.aheads = [...this.aheads, row.now.getTime() - this.readAt].slice(-READINGS);
  }
}
