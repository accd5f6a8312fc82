// The resident memory during chat calls by key. `MINUTES=60` sets the duration, and `RATE=60` the calls a second.
import { fundedKey } from '../lib/caller.mjs';
import { burst } from '../lib/load.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'memory under load (aim: flat after 10 minutes; MINUTES sets the length, default 2, and RATE how fast)';

const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'hello '.repeat(40) }], max_tokens: 256 });
const CONNECTIONS = 16;
const SAMPLES = 12;

export const run = async () => {
  const minutes = Number(process.env.MINUTES ?? 2);
  const callsASecond = process.env.RATE === undefined ? undefined : Number(process.env.RATE);
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const service = await startService({
    DATABASE_URL: await postgres.database('lamppost'),
    SIGNING_SECRET: 'a-secret-for-the-bench-a-secret-for-the-bench',
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    OPENAI_API_KEY: 'a-key-for-the-bench',
    ALLOW_SANDBOX_MIX: 'true',
  });
  try {
    const headers = { 'content-type': 'application/json', 'x-api-key': await fundedKey(service.url) };
    const request = { path: '/v1/agent/chat', method: 'POST', headers, body: BODY };
    const seconds = Math.max(1, Math.round((minutes * 60) / SAMPLES));
    let paid = 0;
    for (let sample = 1; sample <= SAMPLES; sample += 1) {
      const load = { url: service.url, request, connections: CONNECTIONS, seconds, callsASecond };
      const { good, perSecond, bad } = await burst(load);
      paid += good;
      console.log(
        `after ${((sample * seconds) / 60).toFixed(1)} min and ${paid} calls: ${Math.round(service.residentBytes() / 1e6)} MB ` +
          `at ${Math.round(perSecond)} calls/s${bad ? ` (${bad} bad)` : ''}`,
      );
    }
  } finally {
    await Promise.all([service, upstream].map((server) => server.stop()));
    await postgres.stop();
  }
};
