import type { Outage } from './outage';
import { retryPauseMs } from './retry-pause';

export interface TaskOptions {
  /** The pause between two runs. If it is absent, the task runs only after `wake`. */
  readonly everyMs?: number;
  /** The shortest pause before the next run, if code called `wake` during a run. */
  readonly gapMs?: number;
  /** The longest pause between two tries while the task fails. */
  readonly pauseMsMax?: number;
}

/** One named background task. It never has two runs at the same time, and it retries a failure after a pause. */
export class BackgroundTask {
  private timer?: NodeJS.Timeout;
  private dueAt = Infinity;
  private running?: Promise<void>;
  private wokenAt = Infinity;
  private failures = 0;
  private notBefore = 0;
  private stopped = false;

  constructor(
    private readonly work: () => unknown,
    readonly outage: Outage,
    private readonly options: TaskOptions,
  ) {}

  /**
   * Plans a run after a delay. Several calls share the earliest planned run. After a failure, no run begins before the
   * end of the retry pause.
   */
  wake(afterMs = 0): void {
    if (this.stopped) return;
    const at = Date.now() + afterMs;
    if (this.running === undefined) this.schedule(at);
    else this.wokenAt = Math.min(this.wokenAt, at);
  }

  /** Starts no more runs, and resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(at: number): void {
    if (this.stopped || at >= this.dueAt) return;
    clearTimeout(this.timer);
    this.dueAt = at;
    const wait = Math.max(0, at - Date.now(), this.notBefore - Date.now());
    this.timer = setTimeout(() => this.begin(), wait).unref();
  }

  private begin(): void {
    this.dueAt = Infinity;
    this.wokenAt = Infinity;
    this.running = this.run();
  }

  private async run(): Promise<void> {
    try {
      await this.work();
      this.failures = 0;
      this.notBefore = 0;
      this.outage.worked();
    } catch (error) {
      this.failures += 1;
      this.notBefore = Date.now() + retryPauseMs(this.failures, this.options.pauseMsMax);
      if (!this.stopped) this.outage.failed(error);
    }
    this.running = undefined;
    const { everyMs = Infinity, gapMs = 0 } = this.options;
    const woken = Math.max(this.wokenAt, Date.now() + gapMs);
    const next = this.failures > 0 ? this.notBefore : Math.min(woken, Date.now() + everyMs);
    if (next !== Infinity) this.schedule(next);
  }
}
