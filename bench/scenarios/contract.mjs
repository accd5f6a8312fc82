// The cost of each promise to callers, on bare Fastify, beside the service that keeps all promises.
import { fundedKey } from '../lib/caller.mjs';
import { contest, table } from '../lib/contest.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'a chat call by key: each promise of the contract by hand on Fastify, step by step, and the service';

const STEPS = [
  'proxy and a debit that calls share (the limit)',
  '+ a charge that is held first, and settled after the answer',
  '+ the answer kept, sealed',
  '+ limits and metrics',
  '+ what an answer says of itself (headers)',
];
const KEY = `lp_${'1'.padStart(64, '0')}`;
const MESSAGES = [
  { role: 'system', content: 'You are terse.' },
  { role: 'user', content: 'hello '.repeat(40) },
];

export const run = async (options) => {
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const body = JSON.stringify({ messages: MESSAGES, max_tokens: 256 });
  const requestBy = (key) => ({
    path: '/v1/agent/chat',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body,
  });
  const contestants = [];
  try {
    for (const [at, name] of STEPS.entries()) {
      const env = {
        STEPS: String(at + 1),
        KEY,
        DATABASE_URL: await postgres.database(`step_${at}`),
        UPSTREAM: upstream.url,
      };
      const server = await startServer({ args: ['bench/peers/contract.mjs'], port: await freePort(), env });
      contestants.push({ name, server, request: requestBy(KEY), expect: 200 });
    }
    const service = await startService({
      DATABASE_URL: await postgres.database('service'),
      OPENAI_BASE_URL: `${upstream.url}/v1`,
      OPENAI_API_KEY: 'a-key-for-the-bench',
      ALLOW_SANDBOX_MIX: 'true',
      SIGNING_SECRET: 'a-secret-for-the-bench-a-secret-for-the-bench',
    });
    contestants.push({
      name: 'Lamppost',
      server: service,
      request: requestBy(await fundedKey(service.url)),
      expect: 200,
    });
    for (const connections of options.connections) {
      const rows = await contest(contestants, { ...options, connections, warmSeconds: 8 });
      console.log(table(`chat by key, ${connections} connections`, rows));
    }
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
    await Promise.all([upstream.stop(), postgres.stop()]);
  }
};
