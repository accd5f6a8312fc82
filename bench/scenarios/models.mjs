// A service that sells thousands of models of a vendor's list, beside one that sells a single one.
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

import { contest, median, table } from '../lib/contest.mjs';
import { fundedKey } from '../lib/caller.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'a call and a start with 2,000 listed models (aims: at most 1 % more CPU for a call, at most 100 ms more for a start)';

const COUNTS = [1, 2_000];
const SIGNING_SECRET = 'a-secret-for-the-bench-0123456789abcdef';
const SOLD_MS_MAX = 60_000;

const isSold = async (url, count) => {
  const { textModels } = await (await fetch(`${url}/v1/agent/models`)).json();
  return textModels.filter(({ id }) => id.startsWith('bench/')).length === count;
};

/** Starts a service and waits until it sells the list. Returns the milliseconds until its first good answer too. */
const startWith = async (count, databaseUrl) => {
  const vendor = await startServer({
    args: ['bench/peers/upstream.mjs'],
    port: await freePort(),
    env: { MODELS: String(count) },
  });
  const start = async () => {
    const began = performance.now();
    const service = await startService({
      DATABASE_URL: databaseUrl,
      SIGNING_SECRET,
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.url}/v1`,
      ALLOW_SANDBOX_MIX: 'true',
    });
    const answer = await fetch(`${service.url}/health/ready`);
    const took = performance.now() - began;
    if (!answer.ok) throw new Error(`The service is not ready: ${answer.status}.`);
    const until = Date.now() + SOLD_MS_MAX;
    while (!(await isSold(service.url, count))) {
      if (Date.now() > until) throw new Error(`The service does not sell ${count} models.`);
      await pause(100);
    }
    return { service, took };
  };
  return { start, vendor };
};

export const run = async (options) => {
  const postgres = await startPostgres();
  const sides = [];
  for (const count of COUNTS) {
    const url = await postgres.database(`models_${count}`);
    execFileSync(process.execPath, ['dist/src/migrate.js'], {
      env: { ...process.env, DATABASE_URL: url, SIGNING_SECRET, NODE_ENV: 'production' },
      stdio: 'ignore',
    });
    sides.push(await startWith(count, url));
  }
  const times = sides.map(() => []);
  const running = [];
  try {
    for (let round = 0; round <= options.rounds; round += 1) {
      for (const [at, side] of sides.entries()) {
        const { service, took } = await side.start();
        // The first start reads the list.
        if (round > 0) times[at].push(took);
        if (round < options.rounds) await service.stop();
        else running.push(service);
      }
    }
    const [one, many] = times.map(median);
    console.log(
      `start: ${one.toFixed(0)} ms with one model, ${many.toFixed(0)} ms with 2,000: ${(many - one).toFixed(0)} ms more`,
    );
    const contestants = [];
    for (const [at, service] of running.entries())
      contestants.push({
        name: `${COUNTS[at]} listed models`,
        server: service,
        request: {
          path: '/v1/agent/chat',
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': await fundedKey(service.url) },
          body: JSON.stringify({
            model: 'bench/model-n0',
            messages: [{ role: 'user', content: 'Tell me why lampposts are green.' }],
          }),
        },
      });
    for (const connections of options.connections)
      console.log(
        table(
          `one chat call, ${connections} connections`,
          await contest(contestants, { ...options, connections }),
        ),
      );
  } finally {
    await Promise.all(running.map((service) => service.stop()));
    for (const { vendor } of sides) await vendor.stop();
    await postgres.stop();
  }
};
