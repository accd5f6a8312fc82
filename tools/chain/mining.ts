import type { LocalClient } from './local-client';

/** When blocks are made: at each transaction, or every so many seconds, or not at all for a while. */
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
    await this.mine(1); // What piled up meanwhile would otherwise wait for the next transaction or interval.
  }

  mine(blocks: number): Promise<void> {
    return this.client.mine({ blocks });
  }

  /** Spares tests the wait for the next interval, but never makes a block that a test has ruled out. */
  async hasten(): Promise<void> {
    if (this.blockTimeSeconds !== undefined && !this.isPaused) {
      await this.mine(1);
    }
  }
}
