// Measures a free call while a caller with money sends each route the worst body that it accepts.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import sharp from 'sharp';

import { fundedKey } from '../lib/caller.mjs';
import { startService } from '../lib/service.mjs';

export const about = 'a free call while every POST is sent its worst body (aim: 99 of 100 within 100 ms)';

/** The largest chat, in letters that the service must decompose before the policy can compare them. */
const CHAT = {
  messages: Array.from({ length: 50 }, () => ({ role: 'user', content: 'ǖ'.repeat(960) })),
  max_tokens: 64,
};
/** A long conversation with the most parts, and tools with the deepest schema. */
const deep = (levels) => (levels === 0 ? {} : { type: 'object', properties: { a: deep(levels - 1) } });
const STUDIO = {
  model: 'lumen-flash',
  messages: Array.from({ length: 200 }, () => ({ role: 'user', content: 'ﷺ'.repeat(1_000) })),
  tools: Array.from({ length: 64 }, (_, at) => ({
    type: 'function',
    function: { name: `tool_${at}`, parameters: deep(10) },
  })),
  max_tokens: 64,
};
/** A picture of noise: no format compresses it, and decoding takes long. */
const noise = async () => {
  const side = 1_500;
  const raw = randomBytes(side * side * 3);
  const png = await sharp(raw, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
};

const worstBodies = async () => {
  const picture = await noise();
  return Object.entries({
    '/v1/agent/chat': CHAT,
    '/v1/chat/completions': STUDIO,
    '/v1/agent/quote': { modelId: 'lumen-flash', messages: CHAT.messages },
    '/v1/agent/generate': { prompt: 'ǖ'.repeat(2_000), dryRun: true, images: [picture] },
    '/v1/agent/images/generations': { prompt: 'ǖ'.repeat(2_000), dryRun: true },
    '/v1/agent/references': { name: 'worst', media: picture },
    '/mcp?payment=x402': {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'chat', arguments: { ...CHAT, dryRun: true } },
    },
  }).map(([path, body]) => [path, JSON.stringify(body)]);
};

/**
 * Sends one body to one route until it is stopped, two at a time. It runs in a thread, so that it does not delay the
 * measured calls.
 */
const SENDER = `
  const { parentPort, workerData: { url, body, headers } } = require('node:worker_threads');
  let under = true;
  const statuses = {};
  parentPort.once('message', () => (under = false));
  const send = async () => {
    while (under) {
      const answer = await fetch(url, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }
  };
  Promise.all([send(), send()]).then(() => parentPort.postMessage(statuses));`;

const PINGS = `
  const { parentPort, workerData } = require('node:worker_threads');
  let under = true;
  const took = [];
  parentPort.once('message', () => (under = false));
  (async () => {
    while (under) {
      const started = performance.now();
      await fetch(workerData).then((answer) => answer.arrayBuffer());
      took.push(performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    parentPort.postMessage(took.sort((a, b) => a - b));
  })();`;

const enough = async (worker) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  worker.postMessage('enough');
  const [said] = await once(worker, 'message');
  await worker.terminate();
  return said;
};

const waits = async (url, milliseconds) => {
  const pings = new Worker(PINGS, { eval: true, workerData: `${url}/v1/models` });
  await pause(milliseconds);
  const took = await enough(pings);
  const at = (share) => took[Math.floor((took.length - 1) * share)].toFixed(0);
  return `median ${at(0.5).padStart(4)} ms, 99 % ${at(0.99).padStart(4)}, slowest ${at(1).padStart(4)}, of ${took.length}`;
};

export const run = async ({ seconds }) => {
  const service = await startService();
  try {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'x-api-key': await fundedKey(service.url),
    };
    const milliseconds = seconds * 1_000;
    console.log(`${'undisturbed'.padEnd(24)} ${await waits(service.url, milliseconds)}`);
    const sender = ([path, body]) =>
      new Worker(SENDER, { eval: true, workerData: { url: service.url + path, body, headers } });
    const bodies = await worstBodies();
    for (const worst of [...bodies.map((one) => [one]), bodies]) {
      const senders = worst.map(sender);
      await pause(500);
      const said = await waits(service.url, milliseconds);
      const answers = await Promise.all(senders.map(enough));
      const name = worst.length === 1 ? worst[0][0] : 'all of them at once';
      console.log(`${name.padEnd(24)} ${said}; answers ${JSON.stringify(answers)}`);
    }
  } finally {
    await service.stop();
  }
};
