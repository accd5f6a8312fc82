// The cost of the gateway for a call of its upstream: key, price, durable hold, settlement and replay, and one more
// hop.
import { performance } from 'node:perf_hooks';

import { contest, median, table } from '../lib/contest.mjs';
import { fundedKey } from '../lib/caller.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about = 'chat through the gateway against the same upstream called directly, whole and streamed';

const MODEL = 'lumen-flash';
const MESSAGES = [{ role: 'user', content: 'Say why lampposts are painted green in some cities, please.' }];
const FIRST_TOKENS = 200;

const post = (headers, path, body) => ({
  path,
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ model: MODEL, messages: MESSAGES, ...body }),
});

/** The milliseconds from the request to the first piece of the answer. */
const firstPiece = async (url, { path, ...request }) => {
  const began = performance.now();
  const answer = await fetch(url + path, request);
  const reader = answer.body.getReader();
  await reader.read();
  const took = performance.now() - began;
  while (!(await reader.read()).done);
  return took;
};

export const run = async (options) => {
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const service = await startService({
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    OPENAI_API_KEY: 'a-key-for-the-bench',
    ALLOW_SANDBOX_MIX: 'true',
  });
  const limit = await startServer({
    args: ['bench/peers/passthrough.mjs'],
    port: await freePort(),
    env: { UPSTREAM_URL: upstream.url },
  });
  try {
    const key = { 'x-api-key': await fundedKey(service.url) };
    const direct = { name: 'the upstream itself', server: upstream };
    const passed = { name: 'through Fastify, bytes only', server: limit };
    const ours = { name: 'through Lamppost, key rail', server: service };
    for (const connections of options.connections) {
      const rows = await contest(
        [
          { ...direct, request: post({}, '/v1/chat/completions', {}) },
          { ...passed, request: post({}, '/v1/chat/completions', {}) },
          { ...ours, request: post(key, '/v1/agent/chat', {}) },
        ],
        { ...options, connections },
      );
      console.log(table(`one chat call, whole, ${connections} connections`, rows));
      console.log(`added p50: ${(rows[2].p50 - rows[0].p50).toFixed(1)} ms`);
    }
    const streamed = [
      { ...direct, request: post({}, '/v1/chat/completions', { stream: true }) },
      { ...passed, request: post({}, '/v1/chat/completions', { stream: true }) },
      { ...ours, request: post(key, '/v1/chat/completions', { stream: true }) },
    ];
    for (const connections of options.connections) {
      console.log(
        table(
          `streamed in twenty pieces, ${connections} connections`,
          await contest(streamed, { ...options, connections }),
        ),
      );
    }
    const took = [[], [], []];
    for (let round = 0; round < FIRST_TOKENS; round += 1) {
      for (const [at, { server, request }] of streamed.entries()) {
        took[at].push(await firstPiece(server.url, request));
      }
    }
    const [alone, bytes, through] = took.map(median);
    console.log(
      `\nfirst streamed token, one caller, median of ${FIRST_TOKENS}: ${alone.toFixed(2)} ms alone, ` +
        `${bytes.toFixed(2)} ms through Fastify, ${through.toFixed(2)} ms through Lamppost, ${(through - alone).toFixed(2)} ms added`,
    );
  } finally {
    await Promise.all([service.stop(), limit.stop(), upstream.stop()]);
  }
};
