import type { AppError } from '#kernel/app-error';

const LOOK_EVERY_MS = 500;

interface Waiter<T> {
  readonly wants: T;
  readonly enter: () => void;
}

/** Waiting callers in order of arrival. While callers wait, the queue repeatedly calls `look`. */
export class WaitQueue<T> {
  private waiters: readonly Waiter<T>[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly waitMsMax: number,
    private readonly busy: () => AppError,
    private readonly look: () => void,
  ) {}

  get isEmpty(): boolean {
    return this.waiters.length === 0;
  }

  join(wants: T): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timeout);
        this.waiters = this.waiters.filter((other) => other !== waiter);
        if (this.isEmpty) {
          clearInterval(this.timer);
          this.timer = undefined;
        }
      };
      const waiter: Waiter<T> = {
        wants,
        enter: () => {
          leave();
          resolve();
        },
      };
      const timeout = setTimeout(() => {
        leave();
        reject(this.busy());
      }, this.waitMsMax);
      this.waiters = [...this.waiters, waiter];
      this.timer ??= setInterval(() => this.look(), LOOK_EVERY_MS);
      this.look();
    });
  }

  /** Admits each waiting caller that fits, in order of arrival. If `fits` returns true, it has taken the room. */
  admit(fits: (wants: T) => boolean): void {
    for (const waiter of this.waiters) {
      if (fits(waiter.wants)) waiter.enter();
    }
  }
}
