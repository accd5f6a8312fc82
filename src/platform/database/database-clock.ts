import { Injectable, type OnModuleInit } from '@nestjs/common';

import { BackgroundWork } from '../background/background-work';
import { Database } from './database';

const LOOK_EVERY_MS = 10_000;
/** A reading with a late answer is imprecise, so the best of several counts. An old one says nothing about a new server. */
const LOOKS = 6;

/**
 * The time of the database, as this process can know it without asking: never later than the true one. Clocks of processes
 * differ, and a statement that stalls on its way can't say when its call arrived.
 */
@Injectable()
export class DatabaseClock implements OnModuleInit {
  /** The lead of the database's clock over ours, at least. */
  private aheads: number[] = [];
  private lookedAt = 0;

  constructor(
    private readonly db: Database,
    private readonly background: BackgroundWork,
  ) {}

  /** A lost database at this moment does not end the start: without a reading every time counts as the oldest. */
  async onModuleInit(): Promise<void> {
    await this.look().catch(() => undefined);
  }

  /** The time `ms` milliseconds ago. It reads the database's clock again if the last reading is old. */
  ago(ms: number): Date {
    const now = performance.now();
    if (now - this.lookedAt > LOOK_EVERY_MS) {
      this.lookedAt = now;
      this.background.detach('Reading the clock of the database', () => this.look());
    }
    return new Date(this.aheads.length === 0 ? 0 : Math.max(...this.aheads) + now - ms);
  }

  private async look(): Promise<void> {
    const row = await this.db.one<{ now: Date }>('select clock_timestamp() as now', [], 'clock');
    this.lookedAt = performance.now();
    if (row !== undefined) this.aheads = [...this.aheads, row.now.getTime() - this.lookedAt].slice(-LOOKS);
  }
}
