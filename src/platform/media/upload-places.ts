import { UploadsBusy } from './media.errors';

/** How many large bodies one process takes in at a time. */
const PLACES = 2;
const WAIT_MS_MAX = 10_000;
/** Whoever holds one must use it. */
const HOLD_MS_MAX = 60_000;

/** The few places for large bodies. Who finds none waits in line for a while, and is then sent away. */
export class UploadPlaces {
  private free = PLACES;
  private readonly line: (() => void)[] = [];

  constructor(
    private readonly waitMsMax = WAIT_MS_MAX,
    readonly holdMsMax = HOLD_MS_MAX,
  ) {}

  /** Answers how to give the place back; calling that twice gives one back. */
  async take(): Promise<() => void> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      await this.inLine();
    }
    let given = false;
    return () => {
      if (!given) this.giveBack();
      given = true;
    };
  }

  private inLine(): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.line.splice(this.line.indexOf(next), 1);
        reject(new UploadsBusy());
      }, this.waitMsMax);
      this.line.push(next);
    });
  }

  /** A place goes to the next in line without being free in between, so that nobody jumps the line. */
  private giveBack(): void {
    const next = this.line.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}
