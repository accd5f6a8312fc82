// The first seconds after an idle minute. It shows the 99th percentile of calls and the full collections of garbage. It
// also shows the processor time of the threads. `FLAGS` are options of Node for the service, such as `--v8-pool-size=1`.
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { fundedKey } from '../lib/caller.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { settingsOf, startService } from '../lib/service.mjs';
import { steadyLoad } from '../lib/steady-load.mjs';

export const about = 'the latency of the first seconds after an idle minute, and its cause';

const FLAGS = (process.env.FLAGS ?? '').split(' ').filter((flag) => flag !== '');
const TURNS = Number(process.env.TURNS ?? 4);
const IDLE_MS = 60_000;
const WARM_SECONDS = 20;
const TURN_SECONDS = 4;
/** The time in which bench/lib/count-collections.cjs counts. */
const COUNTED_MS = 3_000;
const RATE = 400;

/** The processor time of each thread, in milliseconds. */
const threadsOf = (pid) =>
  new Map(
    readdirSync(`/proc/${pid}/task`).map((id) => [
      id,
      Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    ]),
  );

const share = (values, of) => values.toSorted((a, b) => a - b)[Math.floor(values.length * of)] ?? 0;

/** One turn after a pause, in one line. */
const turn = async (service, server) => {
  const before = threadsOf(server.pid);
  process.kill(server.pid, 'SIGUSR2');
  const counted = pause(COUNTED_MS).then(() => threadsOf(server.pid));
  const { times, bad } = await steadyLoad(service, TURN_SECONDS, RATE);
  const after = await counted;
  const spent = (id) => (after.get(id) ?? 0) - (before.get(id) ?? 0);
  const main = spent(String(server.pid));
  const others = [...after.keys()].reduce((sum, id) => sum + spent(id), 0) - main;
  const full = /FULL COLLECTIONS (\d+)\s*$/.exec(server.output().trimEnd())?.[1] ?? '?';
  console.log(
    `p99 ${share(times, 0.99).toFixed(0).padStart(5)} ms, full collections: ${full}, ` +
      `processor in ${COUNTED_MS / 1_000} s: ${main.toFixed(0)} ms, other threads ${others.toFixed(0)} ms` +
      (bad > 0 ? `  (${bad} bad: not a measurement)` : ''),
  );
};

export const run = async () => {
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const server = await startService(
    { DATABASE_URL: await postgres.database('service'), ...settingsOf(upstream) },
    ['-r', './bench/lib/count-collections.cjs', ...FLAGS],
  );
  try {
    const service = { url: server.url, key: await fundedKey(server.url) };
    await steadyLoad(service, WARM_SECONDS);
    for (let at = 0; at < TURNS; at += 1) {
      await pause(IDLE_MS);
      await turn(service, server);
    }
    console.log('without a pause:');
    await turn(service, server);
  } finally {
    await server.stop();
    await Promise.all([upstream.stop(), postgres.stop()]);
  }
};
