import { Worker } from 'node:worker_threads';

import { Slots } from '../../kernel/slots';

const PROBE_MS_MAX = 5_000;
const HEAP_MB_MAX = 128;
/** At once; a crafted file keeps one core busy for as long as it may. */
const slots = new Slots(2);

/** As text, because a thread is started from a file or a text, and the tests run no built files. */
const PROBE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { ALL_FORMATS, FilePathSource, Input } = require(workerData.library);
  const probe = async () => {
    const input = new Input({ source: new FilePathSource(workerData.path), formats: ALL_FORMATS });
    const track = await input.getPrimaryVideoTrack();
    return track === null ? 0 : track.computeDuration();
  };
  probe().then((seconds) => parentPort.postMessage(seconds), () => parentPort.postMessage(0));
`;

/**
 * How many seconds the picture track of a file lasts; 0 when it has none, or none that can be read in time. In a thread
 * of its own, because a few bytes that claim billions of frames would keep this one busy for minutes.
 */
export const probeSeconds = (path: string): Promise<number> =>
  slots.run(
    () =>
      new Promise((resolve) => {
        const worker = new Worker(PROBE, {
          eval: true,
          workerData: { path, library: require.resolve('mediabunny') },
          resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
          execArgv: [],
          env: {},
          stderr: true,
        });
        const timer = setTimeout(() => void worker.terminate(), PROBE_MS_MAX);
        worker.once('message', (seconds: number) => {
          resolve(seconds);
          void worker.terminate();
        });
        worker.once('error', () => resolve(0));
        worker.once('exit', () => {
          clearTimeout(timer);
          resolve(0);
        });
      }),
  );
