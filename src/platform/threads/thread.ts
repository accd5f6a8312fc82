import { Worker } from 'node:worker_threads';

export interface ThreadLimits {
  readonly milliseconds: number;
  readonly heapMb: number;
}

/** The request of a thread while it works, and the answer; undefined is passed on. */
export type Supply = () => unknown;

/** Sent by a thread instead of its result, to get the next piece. */
const MORE = 'more';

/** The tools of every thread: its data, and a function that requests pieces of work. */
const PREAMBLE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const more = () => new Promise((resolve) => {
    parentPort.once('message', resolve);
    parentPort.postMessage({ say: '${MORE}' });
  });
  const run = (work) => work().then((result) => parentPort.postMessage({ result }), () => process.exit(1));
`;

/**
 * Runs code in its own thread, which can damage only itself. Its time and its heap are limited, it has no environment,
 * and its output stays there. Undefined if it failed or was too late. A thread is started
 * from a file or a text. The code is a text, because the tests run no built files. It calls \`run(async () => …)\`.
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
    worker.on('message', (message: { readonly say?: string; readonly result?: Result }) => {
      if (message.say === undefined) end(message.result);
      // A thread of ours, not a window: there is no origin to name.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      else worker.postMessage(supply());
    });
    worker.once('error', () => end(undefined));
    worker.once('exit', () => end(undefined));
  });
