import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type ChildProcess, spawn } from 'node:child_process';

import { Redis } from 'ioredis';

/** A separate Redis for tests that stop it: the shared one must stay for the other tests. */
export class OwnRedis {
  private constructor(
    readonly url: string,
    private child: ChildProcess,
  ) {}

  static async start(): Promise<OwnRedis> {
    // Below the range from which the system takes ports for outgoing connections.
    const port = randomInt(20_000, 30_000);
    const redis = new OwnRedis(`redis://127.0.0.1:${port}`, launch(port));
    await redis.answers();
    return redis;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGCONT');
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
  }

  async startAgain(): Promise<void> {
    this.child = launch(Number(new URL(this.url).port));
    await this.answers();
  }

  /** Accepts commands and never answers them. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  private async answers(): Promise<void> {
    const client = new Redis(this.url, { retryStrategy: () => 50, maxRetriesPerRequest: 100 });
    client.on('error', () => undefined); // Waits until it listens.
    await client.ping();
    client.disconnect();
  }
}

const launch = (port: number): ChildProcess =>
  spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  });
