// The work that a call causes in the service, in counts that are the same on a busy machine. `test/start/counts.spec.ts` compares
// them with the table in docs/performance.md.
import { request as send } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { fundedKey } from '../lib/caller.mjs';
import { countsOf } from '../lib/counts.mjs';
import { payingRequest, wallet } from '../lib/payment.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { settingsBetween, startService } from '../lib/service.mjs';

export const about =
  'statements, timers, listeners, promises, hashes, bytes allocated and bytes of headers for each kind of call';

const CALLS = 300;
const WARM_CALLS = 300;
const COLUMNS = [
  'statements',
  'timers',
  'listeners',
  'promises',
  'hashes',
  'KB allocated',
  'bytes of headers',
];
const FLAGS = [
  '--expose-gc',
  '--min-semi-space-size=256',
  '--max-semi-space-size=256',
  '--require',
  './bench/lib/count-work.cjs',
];
const BODY = { messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }] };

/** Sends one call and returns its status and the bytes of the answer's headers. */
const answerTo = (url, { path, headers, body }) =>
  new Promise((resolve, reject) => {
    const call = send(url + path, { method: 'POST', headers }, (answer) => {
      answer.resume();
      answer.on('error', reject);
      answer.on('end', () => {
        const bytes = answer.rawHeaders.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 0);
        resolve({ status: answer.statusCode, bytes });
      });
    });
    call.on('error', reject);
    call.end(body);
  });

const countKind = async (service, nextCall, expected) => {
  const run = async (calls) => {
    let bytes = 0;
    for (let call = 0; call < calls; call += 1) {
      const answer = await answerTo(service.url, nextCall());
      if (answer.status !== expected) throw new Error(`A call was answered with ${answer.status}.`);
      bytes = Math.max(bytes, answer.bytes);
    }
    return bytes;
  };
  await run(WARM_CALLS);
  process.kill(service.pid, 'SIGUSR2');
  await pause(200);
  const bytes = await run(CALLS);
  const counts = await countsOf(service);
  const statements = Object.entries(counts)
    .filter(([name, count]) => name.startsWith('sql ') && count >= CALLS / 2)
    .reduce((sum, [, count]) => sum + count, 0);
  const each = (count = 0) => Math.round(count / CALLS);
  return [
    each(statements),
    each(counts.timers),
    each(counts.listeners),
    each(counts.promises),
    each(counts.hashes),
    each(counts.heap / 1_024),
    bytes,
  ];
};

export const run = async () => {
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const facilitator = await startServer({ args: ['bench/peers/facilitator.mjs'], port: await freePort() });
  const service = await startService(
    {
      DATABASE_URL: await postgres.database('counts'),
      ...settingsBetween(upstream, facilitator),
    },
    FLAGS,
  );
  try {
    const key = await fundedKey(service.url);
    const paying = await payingRequest(service.url, wallet());
    const call =
      (path, body, headers = {}) =>
      () => ({
        path,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const kinds = {
      'chat by key': [call('/v1/agent/chat', BODY, { 'x-api-key': key }), 200],
      'a stream of 20 pieces': [
        call('/v1/chat/completions', { ...BODY, stream: true }, { 'x-api-key': key }),
        200,
      ],
      'the 402': [call('/v1/agent/chat', BODY), 402],
      'an x402 payment': [() => paying.requests[0].setupRequest(paying), 200],
    };
    const rows = [];
    for (const [kind, [next, expected]] of Object.entries(kinds))
      rows.push([kind, ...(await countKind(service, next, expected))]);
    for (const row of [['a call', ...COLUMNS], ['', ...COLUMNS].map(() => '---'), ...rows])
      console.log(`| ${row.join(' | ')} |`);
  } finally {
    for (const server of [service, upstream, facilitator]) await server.stop();
    await postgres.stop();
  }
};
