import { Child, type ChildLimits } from './child';

const IDLE_MS_MAX = 30_000;
/** A library may keep memory of each file, so a child is replaced after some files. */
const WORKS_MAX = 200;

interface Kept {
  readonly child: Child;
  readonly works: number;
}

/**
 * Child processes of one script, for small work that comes often: a start costs a tenth of a second. Each does one work
 * at a time. The caller limits how many work at a time. A child that gave no result is ended.
 */
export class ChildPool {
  private readonly idle: Kept[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly script: string,
    private readonly limits: ChildLimits,
  ) {}

  /** The result of the script; undefined if a child ended, took too long, or used too much memory for it. */
  async run<Result>(data: Readonly<Record<string, unknown>>): Promise<Result | undefined> {
    const kept = this.idle.pop();
    if (kept === undefined || kept.child.hasEnded) return this.runFresh(data);
    const result = await this.ask<Result>(kept, data).catch(() => undefined);
    // An earlier file may be why the child ended, so a new child tries this one.
    return result === undefined && kept.child.hasEnded ? this.runFresh(data) : result;
  }

  private runFresh<Result>(data: Readonly<Record<string, unknown>>): Promise<Result | undefined> {
    return this.ask<Result>({ child: new Child(this.script, this.limits), works: 0 }, data);
  }

  private async ask<Result>(
    { child, works }: Kept,
    data: Readonly<Record<string, unknown>>,
  ): Promise<Result | undefined> {
    let result: Result | undefined;
    try {
      return (result = await child.ask<Result>(data));
    } finally {
      if (result === undefined || works + 1 >= WORKS_MAX) child.end();
      else this.keep({ child, works: works + 1 });
    }
  }

  /** The child stays until no child has worked for some time. */
  private keep(kept: Kept): void {
    kept.child.unref();
    this.idle.push(kept);
    this.timer ??= setTimeout(() => this.endIdle(), IDLE_MS_MAX).unref();
    this.timer.refresh();
  }

  private endIdle(): void {
    this.timer = undefined;
    for (const { child } of this.idle.splice(0)) child.end();
  }
}
