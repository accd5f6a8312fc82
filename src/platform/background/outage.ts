import type { Logger } from '@nestjs/common';

/** The shortest time between two logged outages of a task that fails and recovers often. */
const QUIET_MS = 60_000;

/** Logs the first failure of a task, and its recovery, once each. */
export class Outage {
  private since?: number;
  private isLogged = false;
  private quietUntil = 0;

  constructor(
    private readonly name: string,
    private readonly logger: Pick<Logger, 'log' | 'warn'>,
  ) {}

  /** The seconds since the first failure; undefined while the task works. */
  get seconds(): number | undefined {
    return this.since === undefined ? undefined : (Date.now() - this.since) / 1_000;
  }

  failed(error: unknown): void {
    if (this.since !== undefined) return;
    this.since = Date.now();
    if (this.since < this.quietUntil) return;
    this.quietUntil = this.since + QUIET_MS;
    this.isLogged = true;
    this.logger.warn(
      { err: error, work: this.name },
      `${this.name} fails; its further failures are not logged until it works again.`,
    );
  }

  worked(): void {
    const { seconds } = this;
    this.since = undefined;
    if (seconds === undefined || !this.isLogged) return;
    this.isLogged = false;
    this.logger.log({ work: this.name }, `${this.name} works again after ${seconds.toFixed(1)} s.`);
  }
}
