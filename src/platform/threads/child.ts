import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';

import { withErrorListener } from '#kernel/with-error-listener';
import { NoChildProcess } from './threads.errors';

export interface ChildLimits {
  readonly milliseconds: number;
  /** The heap of V8. */
  readonly heapMb: number;
  /** All memory of the process. It is read from time to time, on Linux only. */
  readonly memoryMb: number;
}

const CHECK_MS = 50;

/** The memory that a process has in use, or 0 if the system has no such file. */
const memoryMbOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
};

/** Calls `kill` when the process uses more memory than it may. */
const watchMemory = (pid: number, memoryMb: number, kill: () => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const checkMemory = async (): Promise<void> => {
    if ((await memoryMbOf(pid)) > memoryMb) kill();
    if (!isOver) next();
  };
  const next = (): void => {
    timer = setTimeout(() => {
      checkMemory().catch(() => undefined);
    }, CHECK_MS).unref();
  };
  next();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
};

/** A process of its own for a script. The script gets data as messages, and sends one message with the result of each. */
export class Child {
  private readonly process: ChildProcess;
  private answered: (result?: unknown) => void = () => undefined;
  private failed: (error: Error) => void = () => undefined;
  /** Whether the process has ended, or could not begin. */
  hasEnded = false;
  /** Whether this process ended it, because it took too long or used too much memory. */
  private isKilled = false;

  constructor(
    script: string,
    private readonly limits: ChildLimits,
  ) {
    this.process = withErrorListener(
      spawn(process.execPath, [`--max-old-space-size=${limits.heapMb}`, script], {
        env: {},
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        serialization: 'advanced', // Data may contain bytes.
        windowsHide: true,
      }),
    );
    this.process.on('message', (message: { readonly result: unknown }) => this.answered(message.result));
    this.process.on('exit', () => this.ended());
    this.process.on('error', (error) => {
      // Without a process number it never began. Later errors come with its end.
      if (this.process.pid === undefined) this.failed(new NoChildProcess(error));
      this.ended();
    });
    if (this.process.pid !== undefined)
      writeFile(`/proc/${this.process.pid}/oom_score_adj`, '1000').catch(() => undefined);
  }

  /**
   * The result for this data; undefined if the process ended, took too long, or used too much memory. Throws if something
   * else ended it.
   */
  async ask<Result>(data: Readonly<Record<string, unknown>>): Promise<Result | undefined> {
    const { milliseconds, memoryMb } = this.limits;
    const { pid } = this.process;
    let timer: NodeJS.Timeout | undefined;
    let stopWatching = (): void => undefined;
    try {
      const result = await new Promise<Result | undefined>((resolve, reject) => {
        this.answered = (result) => resolve(result as Result | undefined);
        this.failed = reject;
        timer = setTimeout(() => {
          this.isKilled = true;
          resolve(undefined);
        }, milliseconds);
        if (pid === undefined) return;
        if (this.hasEnded) return resolve(undefined);
        stopWatching = watchMemory(pid, memoryMb, () => this.end());
        this.process.send({ ...data, milliseconds }, () => undefined);
      });
      if (result === undefined && this.wasEnded) throw new NoChildProcess(new Error('It was ended.'));
      return result;
    } finally {
      clearTimeout(timer);
      stopWatching();
    }
  }

  /** Whether the system ended it for lack of memory, or a person did: neither is the fault of its data. */
  private get wasEnded(): boolean {
    return this.hasEnded && !this.isKilled && this.process.signalCode === 'SIGKILL';
  }

  end(): void {
    this.isKilled = true;
    this.process.kill('SIGKILL');
  }

  /** Lets this process end although the child is there. A child ends when its parent is gone. */
  unref(): void {
    this.process.unref();
    this.process.channel?.unref();
  }

  private ended(): void {
    this.hasEnded = true;
    this.answered();
  }
}

/**
 * Runs a script in a process of its own. It is for files of strangers: one large allocation in a thread would end this
 * process, and no limit of a thread prevents that. The child has no environment and no output. The system ends it first
 * if memory runs out. The result is undefined if it ended, took too long, or used too much memory.
 */
export const inChild = async <Result>(
  script: string,
  data: Readonly<Record<string, unknown>>,
  limits: ChildLimits,
): Promise<Result | undefined> => {
  const child = new Child(script, limits);
  try {
    return await child.ask<Result>(data);
  } finally {
    child.end();
  }
};
