// Compares this commit with an earlier one, alternately: chat by key, a 402, a stream and an x402 payment.
// `BEFORE=/another/checkout` names a built checkout of the earlier commit.
import { resolve } from 'node:path';

import { fundedKey } from '../lib/caller.mjs';
import { contest, table } from '../lib/contest.mjs';
import { payingRequest, wallet } from '../lib/payment.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { settingsBetween, startService } from '../lib/service.mjs';

export const about =
  'this commit against BEFORE: processor time at most 1.12 (chat), 1.15 (402), 1.4 (stream), 1.1 (x402)';

const JSON_BODY = { 'content-type': 'application/json' };
const MESSAGES = [{ role: 'user', content: 'Why are lampposts green in some cities, and black in others?' }];
const WARM_SECONDS = 20;

export const run = async (options) => {
  const { BEFORE } = process.env;
  if (BEFORE === undefined) throw new Error('Set BEFORE to a built checkout of an earlier commit.');
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const facilitator = await startServer({ args: ['bench/peers/facilitator.mjs'], port: await freePort() });
  const env = settingsBetween(upstream, facilitator);
  const start = async (name, main) => {
    const server = await startService({ ...env, DATABASE_URL: await postgres.database(name) }, [], main);
    return { name, server, key: await fundedKey(server.url) };
  };
  const sides = [
    await start('before', resolve(BEFORE, 'dist/src/main.js')),
    await start('now', resolve('dist/src/main.js')),
  ];
  const post = (path, body, headers = {}) => ({
    path,
    method: 'POST',
    headers: { ...JSON_BODY, ...headers },
    body: JSON.stringify(body),
  });
  const kinds = {
    'chat by key': ({ key }) => post('/v1/agent/chat', { messages: MESSAGES }, { 'x-api-key': key }),
    'a 402': () => post('/v1/agent/chat', { messages: MESSAGES }),
    'a stream': ({ key }) =>
      post('/v1/chat/completions', { messages: MESSAGES, stream: true }, { 'x-api-key': key }),
    'an x402 payment': ({ server }) => payingRequest(server.url, wallet()),
  };
  try {
    for (const [kind, requestOf] of Object.entries(kinds)) {
      const contestants = [];
      for (const side of sides) {
        const expect = kind === 'a 402' ? 402 : 200;
        contestants.push({ name: side.name, server: side.server, request: await requestOf(side), expect });
      }
      for (const connections of options.connections) {
        const rows = await contest(contestants, { ...options, connections, warmSeconds: WARM_SECONDS });
        const [, now] = rows;
        console.log(table(`${kind}, ${connections} connections`, rows));
        console.log(`processor time: ${(1 / now.cpuRatio).toFixed(2)} of before`);
      }
    }
  } finally {
    await Promise.all([...sides.map(({ server }) => server), upstream, facilitator].map((one) => one.stop()));
    await postgres.stop();
  }
};
