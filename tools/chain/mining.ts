import type { LocalClient } from './local-client';

/** The block schedule: at each transaction, at an interval, or paused. */
export class Mining {
  private isPaused = false;

  constructor(
    private readonly client: LocalClient,
    private readonly blockTimeSeconds?: number,
  ) {}

  async pause(): Promise<void> {
    this.isPaused = true;
    if (this.blockTimeSeconds === undefined) {
      await this.client.setAutomine(false);
    } else {
      await this.client.setIntervalMining({ interval: 0 });
    }
  }

  async resume(): Promise<void> {
    this.isPaused = false;
    if (this.blockTimeSeconds === undefined) {
      await this.client.setAutomine(true);
    } else {
      await this.client.setIntervalMining({ interval: this.blockTimeSeconds });
    }
    // Without this block, transactions from the pause would wait for the next transaction or interval.
    await this.mine(1);
  }

  mine(blocks: number): Promise<void> {
    return this.client.mine({ blocks });
  }

  /**
   * Makes a block at once, so that tests need not wait for the next interval. While a test has paused mining, it does
   * nothing.
   */
  async hasten(): Promise<void> {
    if (this.blockTimeSeconds !== undefined && !this.isPaused) {
      await this.mine(1);
    }
  }
}
