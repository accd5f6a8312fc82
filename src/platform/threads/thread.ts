import { Worker } from 'node:worker_threads';

export interface ThreadLimits {
  readonly milliseconds: number;
  readonly heapMb: number;
}

/** Answers requests of a thread while it works; undefined is passed on as the answer. */
export type Supply = (question: unknown) => unknown;

/** The message of a thread that asks for the next piece instead of sending its result. */
const MORE = 'more';

/** The interface of every thread: its data, and a function that requests pieces of work. */
const PREAMBLE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const more = (question) => new Promise((resolve) => {
    parentPort.once('message', resolve);
    parentPort.postMessage({ say: '${MORE}', question });
  });
  const run = (work) => work().then((result) => parentPort.postMessage({ result }), () => process.exit(1));
`;

/**
 * Runs code in a separate thread, which can damage only itself. Its time and its heap are limited, it has no
 * environment, and its output is not shown. Undefined if it failed or took too long. A thread is started from a file or
 * a text. The code is a text, because the tests run no built files. It calls `run(async () => …)`.
 */
export const inThread = <Result>(
  code: string,
  data: Readonly<Record<string, unknown>>,
  { milliseconds, heapMb }: ThreadLimits,
  supply: Supply = () => undefined,
): Promise<Result | undefined> =>
  new Promise((resolve) => {
    const worker = new Worker(PREAMBLE + code, {
      eval: true,
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
    });
    const stop = (): void => {
      worker.terminate().catch(() => undefined); // A thread that has already ended is no failure.
    };
    const timer = setTimeout(stop, milliseconds);
    const end = (result: Result | undefined): void => {
      clearTimeout(timer);
      resolve(result);
      stop();
    };
    interface Message {
      readonly say?: string;
      readonly question?: unknown;
      readonly result?: Result;
    }
    worker.on('message', (message: Message) => {
      if (message.say === undefined) end(message.result);
      // It is a thread of ours and no window, so there is no origin to name.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      else worker.postMessage(supply(message.question));
    });
    worker.once('error', () => end(undefined));
    worker.once('exit', () => end(undefined));
  });
