import { Worker } from 'node:worker_threads';

import { withErrorListener } from '#kernel/with-error-listener';

export interface ThreadLimits {
  readonly milliseconds: number;
  readonly heapMb: number;
}

/** Answers a request of a running thread. The thread also gets undefined as an answer. */
export type Supply = (question: unknown) => unknown;

/** The message of a thread that asks for the next piece instead of sending its result. */
const MORE = 'more';

/** The interface of every thread: its data, and a function that requests pieces of work. */
const PREAMBLE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const more = (question) => new Promise((resolve) => {
    parentPort.once('message', resolve);
    parentPort.postMessage({ kind: '${MORE}', question });
  });
  const run = (work) => work().then((result) => parentPort.postMessage({ result }), () => process.exit(1));
`;

/**
 * Runs code in a separate thread. The thread has a limited time and heap, no environment variables, and no visible
 * output, so it can damage only itself. The result is undefined if the thread failed or took too long. The code is a
 * text instead of a built file, because tests run without built files. It must call `run(async () => …)`.
 */
export const inThread = <Result>(
  code: string,
  data: Readonly<Record<string, unknown>>,
  { milliseconds, heapMb }: ThreadLimits,
  supply: Supply = () => undefined,
): Promise<Result | undefined> =>
  new Promise((resolve) => {
    const worker = withErrorListener(
      new Worker(PREAMBLE + code, {
        eval: true,
        workerData: data,
        resourceLimits: { maxOldGenerationSizeMb: heapMb },
        execArgv: [],
        env: {},
        stdout: true,
        stderr: true,
      }),
    );
    const stop = (): void => {
      worker.terminate().catch(() => undefined); // The thread may have ended already.
    };
    const timer = setTimeout(stop, milliseconds);
    const end = (result: Result | undefined): void => {
      clearTimeout(timer);
      resolve(result);
      stop();
    };
    interface Message {
      readonly kind?: string;
      readonly question?: unknown;
      readonly result?: Result;
    }
    worker.on('message', (message: Message) => {
      if (message.kind === undefined) end(message.result);
      // The receiver is our own thread and no window, so it has no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      else worker.postMessage(supply(message.question));
    });
    worker.on('error', () => end(undefined));
    worker.once('exit', () => end(undefined));
  });
