// Runs jobs from submission to their end, and measures the cost of thousands of running jobs for all other calls.
import { setTimeout as pause } from 'node:timers/promises';

import { contest, median, table } from '../lib/contest.mjs';
import { fundedKey } from '../lib/caller.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about = 'jobs a second from submit to done, and the API while JOBS (default 10000) of them run';

const DONE_JOBS = 2_000;
const CALLERS = 16;
const BODY = JSON.stringify({ prompt: 'a lamppost in the rain', modelId: 'ember-image' });

const started = async (postgres, name, never) => {
  const port = await freePort();
  const upstream = await startServer({
    args: ['bench/peers/queue-upstream.mjs'],
    port,
    env: never ? { NEVER: 'yes' } : {},
  });
  const databaseUrl = await postgres.database(name);
  const service = await startService(
    {
      DATABASE_URL: databaseUrl,
      SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
      FAL_BASE_URL: upstream.url,
      FAL_API_URL: upstream.url,
      FAL_KEY: 'a-key-for-the-bench',
      OPENAI_API_KEY: 'a-key-that-is-not-used',
      LIVE_COSTS: 'false',
      ALLOW_SANDBOX_MIX: 'true',
      FETCH_ALLOW_HOSTS: `127.0.0.1:${port}`,
    },
    ['--require', './bench/lib/vendor-inside.cjs'],
  );
  return { upstream, service, databaseUrl, key: await fundedKey(service.url) };
};

const submit = async ({ service, key }, count) => {
  let left = count;
  const headers = { 'content-type': 'application/json', 'x-api-key': key, prefer: 'wait=0' };
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (left > 0) {
        left -= 1;
        const answer = await fetch(`${service.url}/v1/agent/generate`, {
          method: 'POST',
          headers,
          body: BODY,
        });
        if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
        await answer.arrayBuffer();
      }
    }),
  );
};

const counts = (url, where) =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query(`select count(*)::int as jobs from job where ${where}`);
    return rows[0].jobs;
  });

const throughput = async (postgres) => {
  const side = await started(postgres, 'through', false);
  try {
    await submit(side, 100); // This is the warm-up.
    while ((await counts(side.databaseUrl, `status = 'done'`)) < 100) await pause(50);
    const cpu = side.service.cpuMicros();
    const began = performance.now();
    await submit(side, DONE_JOBS);
    const submitted = (performance.now() - began) / 1_000;
    while ((await counts(side.databaseUrl, `status = 'done'`)) < DONE_JOBS + 100) await pause(20);
    const took = (performance.now() - began) / 1_000;
    const each = (side.service.cpuMicros() - cpu) / DONE_JOBS / 1_000;
    console.log(
      `${DONE_JOBS} jobs, ${CALLERS} callers: submitted at ${Math.round(DONE_JOBS / submitted)}/s, ` +
        `done at ${Math.round(DONE_JOBS / took)}/s, ${each.toFixed(2)} ms of CPU a job`,
    );
  } finally {
    await side.service.stop();
    await side.upstream.stop();
  }
};

const beside = async (postgres, options) => {
  const jobs = Number(process.env.JOBS ?? 10_000);
  const sides = [await started(postgres, 'idle', true), await started(postgres, 'busy', true)];
  const [idle, busy] = sides;
  try {
    const ids = [];
    for (const [side, count] of [
      [idle, 1],
      [busy, jobs],
    ]) {
      await submit(side, count);
      const rows = await onDatabase(side.databaseUrl, (client) => client.query('select id from job limit 1'));
      ids.push(rows.rows[0].id);
    }
    await pause(60_000); // After this time, the service polls the jobs at their longest interval.
    const shares = { withVendor: [], withoutVendor: [] };
    for (let round = 0; round < 5; round += 1) {
      for (const share of Object.values(shares)) {
        const before = busy.service.cpuMicros();
        await pause(5_000); // The service polls each job once in this time.
        share.push((busy.service.cpuMicros() - before) / 50_000);
        process.kill(busy.service.pid, 'SIGUSR2');
        await pause(1_000);
      }
    }
    console.log(
      `${await counts(busy.databaseUrl, `status = 'running'`)} jobs run: ${median(shares.withVendor).toFixed(1)} % of a core, ` +
        `${median(shares.withoutVendor).toFixed(1)} % without the vendor's HTTP`,
    );
    const quote = (key) => ({
      path: '/v1/agent/quote',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: '{"modelId":"ember-image"}',
    });
    for (const [what, requestOf] of [
      ['POST /v1/agent/quote', (side) => quote(side.key)],
      ['GET /v1/agent/jobs/{id}', (_side, at) => ({ path: `/v1/agent/jobs/${ids[at]}` })],
    ]) {
      const rows = await contest(
        sides.map((side, at) => ({
          name: at === 0 ? 'no job runs' : `${jobs} jobs run`,
          server: side.service,
          request: requestOf(side, at),
        })),
        { ...options, connections: CALLERS },
      );
      console.log(table(`${what}, ${CALLERS} connections`, rows));
    }
  } finally {
    for (const side of sides) {
      await side.service.stop();
      await side.upstream.stop();
    }
  }
};

export const run = async (options) => {
  const postgres = await startPostgres();
  try {
    await throughput(postgres);
    await beside(postgres, options);
  } finally {
    await postgres.stop();
  }
};
