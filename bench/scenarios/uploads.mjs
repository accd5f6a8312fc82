// Several concurrent videos of 40 MB as data URIs: their memory, and the wait of other callers meanwhile.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import sharp from 'sharp';

import { fundedKey } from '../lib/caller.mjs';
import { startService } from '../lib/service.mjs';

const require = createRequire(import.meta.url);

export const about =
  'memory that 40 MB uploads take at once, and the slowest free call meanwhile (aim: below 60 MB for all of them together)';

const MEGABYTE = 1024 * 1024;
const VIDEO_BYTES = 40 * MEGABYTE;
const AT_ONCE = [1, 2, 4, 8];
const SAMPLE_MS = 10;

/** A short film in a large file. A box that players ignore fills the file. */
const largeVideo = async () => {
  const { filmPrompt } = require('../../dist/src/models/providers/sandbox/film.js');
  const film = await filmPrompt('bench', 32, 32, 1);
  const box = Buffer.alloc(VIDEO_BYTES - film.length);
  box.writeUInt32BE(box.length, 0);
  box.write('free', 4);
  return Buffer.concat([film, box]);
};

const still = () =>
  sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer();

/**
 * Another caller, in a separate thread. In the sender's thread, the measured time would include the work of sending 40
 * MB.
 */
const PINGS = `
  const { parentPort, workerData } = require('node:worker_threads');
  let slowest = 0;
  let under = true;
  parentPort.once('message', () => (under = false));
  (async () => {
    while (under) {
      const started = performance.now();
      await fetch(workerData).then((answer) => answer.text());
      slowest = Math.max(slowest, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    parentPort.postMessage(slowest);
  })();`;

/** Measures the memory, and the time of a free call, while `work` runs. */
const watch = async (service, work) => {
  const pings = new Worker(PINGS, { eval: true, workerData: `${service.url}/health/live` });
  await pause(200);
  let peak = 0;
  const memory = setInterval(() => (peak = Math.max(peak, service.residentBytes())), SAMPLE_MS);
  const started = performance.now();
  const result = await work();
  const seconds = (performance.now() - started) / 1_000;
  clearInterval(memory);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  pings.postMessage('enough');
  const [slowest] = await once(pings, 'message');
  await pings.terminate();
  return { result, peak, slowest, seconds };
};

export const run = async ({ rounds }) => {
  const service = await startService();
  try {
    const key = await fundedKey(service.url);
    const text = JSON.stringify({
      prompt: 'bench',
      modelId: 'puppet-motion',
      dryRun: true,
      image: `data:image/png;base64,${(await still()).toString('base64')}`,
      video: `data:video/mp4;base64,${(await largeVideo()).toString('base64')}`,
    });
    const body = Buffer.from(text);
    const send = async () => {
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const answer = await fetch(`${service.url}/v1/agent/generate`, { method: 'POST', headers, body });
      await answer.text();
      return answer.status;
    };
    await send(); // This warm-up does not count.
    for (const count of AT_ONCE) {
      await pause(1_000);
      const before = service.residentBytes();
      let most = { peak: 0, slowest: 0 };
      const statuses = {};
      for (let round = 0; round < rounds; round += 1) {
        const seen = await watch(service, () => Promise.all(Array.from({ length: count }, send)));
        for (const status of seen.result) statuses[status] = (statuses[status] ?? 0) + 1;
        most = {
          peak: Math.max(most.peak, seen.peak),
          slowest: Math.max(most.slowest, seen.slowest),
          seconds: seen.seconds,
        };
      }
      const grown = Math.max(0, most.peak - before) / 1e6;
      console.log(
        `${String(count).padStart(2)} at once: at most ${grown.toFixed(0).padStart(4)} MB more (${(grown / count).toFixed(1)} MB each), ` +
          `slowest free call ${most.slowest.toFixed(0)} ms, ${most.seconds.toFixed(1)} s for all, answers ${JSON.stringify(statuses)}`,
      );
    }
  } finally {
    await service.stop();
  }
};
