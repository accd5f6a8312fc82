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
  'KB kept',
  'bytes of headers',
];
/** The young generation is so large that nothing is collected while the calls are counted. */
const FLAGS = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];
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

/** Makes the calls of one kind, between two signals to a service with counters. */
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
  return { bytes, ...(await countsOf(service)) };
};

const kindsOf = async (url) => {
  const key = await fundedKey(url);
  const paying = await payingRequest(url, wallet());
  const call =
    (path, body, headers = {}) =>
    () => ({
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return {
    'chat by key': [call('/v1/agent/chat', BODY, { 'x-api-key': key }), 200],
    'a stream of 20 pieces': [
      call('/v1/chat/completions', { ...BODY, stream: true }, { 'x-api-key': key }),
      200,
    ],
    'the 402': [call('/v1/agent/chat', BODY), 402],
    'an x402 payment': [() => paying.requests[0].setupRequest(paying), 200],
  };
};

/** Counts each kind of call in a service of its own that loads the counters. */
const countAll = async (counters, env, rounds) => {
  const service = await startService(env, [...FLAGS, '--require', counters]);
  try {
    const counts = {};
    const kinds = Object.entries(await kindsOf(service.url));
    for (let round = 0; round < rounds; round += 1)
      for (const [kind, [nextCall, expected]] of kinds)
        counts[kind] = await countKind(service, nextCall, expected);
    return counts;
  } finally {
    await service.stop();
  }
};

const rowOf = (counts, kept) => {
  const statements = Object.entries(counts)
    .filter(([name, count]) => name.startsWith('sql ') && count >= CALLS / 2)
    .reduce((sum, [, count]) => sum + count, 0);
  const { timers, listeners, promises, hashes, heap } = counts;
  const each = [statements, timers, listeners, promises, hashes, heap / 1_024, kept / 1_024];
  return [...each.map((count = 0) => Math.round(count / CALLS)), counts.bytes];
};

export const run = async () => {
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const facilitator = await startServer({ args: ['bench/peers/facilitator.mjs'], port: await freePort() });
  const envOf = async (database) => ({
    DATABASE_URL: await postgres.database(database),
    ...settingsBetween(upstream, facilitator),
  });
  try {
    const counts = await countAll('./bench/lib/count-work.cjs', await envOf('counts'), 1);
    // Its own process, because the counters keep objects. Two rounds, because the first one also compiles code.
    const kept = await countAll('./bench/lib/count-kept.cjs', await envOf('kept'), 2);
    const rows = Object.entries(counts).map(([kind, count]) => [kind, ...rowOf(count, kept[kind].kept)]);
    for (const row of [['a call', ...COLUMNS], ['', ...COLUMNS].map(() => '---'), ...rows])
      console.log(`| ${row.join(' | ')} |`);
  } finally {
    for (const server of [upstream, facilitator]) await server.stop();
    await postgres.stop();
  }
};
