import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';

import { defineError } from '../../kernel/app-error';
import { PROVIDER_UNAVAILABLE } from '../../kernel/common-codes';
import { withErrorListener } from '../../kernel/with-error-listener';

export interface ChildLimits {
  readonly milliseconds: number;
  /** The heap of V8. */
  readonly heapMb: number;
  /** All memory of the process. It is read from time to time, on Linux only. */
  readonly memoryMb: number;
}

const LOOK_MS = 50;

/** The machine can't start another process now, which is not the fault of the file. */
const NoChildProcess = defineError(PROVIDER_UNAVAILABLE, (cause: Error) => ({
  message: 'The service cannot read media now. Nothing was charged; send it again shortly.',
  retryAfterSeconds: 5,
  cause,
}));

/** The memory that a process has in use, or 0 if the system has no such file. */
const memoryMbOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
};

/** The result of the child process in time, or undefined. */
const resultOf = <Result>(child: ChildProcess, milliseconds: number): Promise<Result | undefined> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    const end = (result?: Result): void => {
      clearTimeout(timer);
      resolve(result);
    };
    child.on('message', (message: { readonly result: Result }) => end(message.result));
    child.on('exit', () => end());
    child.on('error', (error) => {
      clearTimeout(timer);
      // Without a process number it never began. Later errors come with its end.
      if (child.pid === undefined) reject(new NoChildProcess(error));
      else resolve(undefined);
    });
  });

/** Ends the process when it uses more memory than it may. */
const watchMemory = (child: ChildProcess, pid: number, memoryMb: number): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    if ((await memoryMbOf(pid)) > memoryMb) child.kill('SIGKILL');
    if (!isOver) next();
  };
  const next = (): void => {
    timer = setTimeout(() => {
      look().catch(() => undefined);
    }, LOOK_MS).unref();
  };
  next();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
};

/**
 * Runs a script in a process of its own. It is for files of strangers: one large allocation in a thread would end this
 * process, and no limit of a thread prevents that. The child has no environment and no output. The system ends it first
 * if memory runs out. The result is undefined if it ended, took too long, or used too much memory. The script gets the
 * data as a message, and sends one message with its result.
 */
export const inChild = async <Result>(
  script: string,
  data: Readonly<Record<string, unknown>>,
  { milliseconds, heapMb, memoryMb }: ChildLimits,
): Promise<Result | undefined> => {
  const child = withErrorListener(
    spawn(process.execPath, [`--max-old-space-size=${heapMb}`, script], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced', // Data may contain bytes.
      windowsHide: true,
    }),
  );
  const { pid } = child;
  let rest = (): void => undefined;
  try {
    const result = resultOf<Result>(child, milliseconds);
    if (pid !== undefined) {
      rest = watchMemory(child, pid, memoryMb);
      writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => undefined);
      child.send({ ...data, milliseconds }, () => undefined);
    }
    return await result;
  } finally {
    rest();
    child.kill('SIGKILL');
  }
};
