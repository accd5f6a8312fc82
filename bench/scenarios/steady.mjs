// The latency of a paid call under a steady load: half of what the service can do. Service and a proxy run alternately, a
// minute each. It also finds the rate at which the 99th percentile leaves 50 ms. The proxy holds a charge and settles it: two
// durable commits a call, as the service. `FLAGS` are options of Node for the service, such as `--v8-pool-size=1`.
import { fundedKey } from '../lib/caller.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { settingsOf, startService } from '../lib/service.mjs';
import { CONNECTIONS, steadyLoad as load } from '../lib/steady-load.mjs';

export const about =
  'p50, p99 and p99.9 of a paid call at half of the capacity (aim: p99 within 1.5 times of a proxy), and what gives first';

const MINUTES = Number(process.env.MINUTES ?? 10);
const FLAGS = (process.env.FLAGS ?? '').split(' ').filter((flag) => flag !== '');
const WARM_SECONDS = 20;
const STEP_SECONDS = 15;
const STEP = 1.15;
const P99_MS_MAX = 50;
/** The step of bench/peers/contract.mjs that holds a charge and settles it after the answer. */
const HOLDS_AND_SETTLES = '2';
const PEER_KEY = `lp_${'1'.padStart(64, '0')}`;

const perSecond = ({ times, seconds }) => Math.round(times.length / seconds);

const sharesOf = ({ times }) => {
  const sorted = times.toSorted((a, b) => a - b);
  return [0.5, 0.99, 0.999, 1].map(
    (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))],
  );
};

/** Several loads as one. */
const joined = (loads) => ({
  times: loads.flatMap(({ times }) => times),
  bad: loads.reduce((sum, { bad }) => sum + bad, 0),
  seconds: loads.reduce((sum, { seconds }) => sum + seconds, 0),
});

const line = (name, loaded) =>
  `${name.padEnd(34)} ${[perSecond(loaded), ...sharesOf(loaded).map((ms) => ms.toFixed(1))]
    .map((text) => String(text).padStart(7))
    .join(' ')}${loaded.bad > 0 ? `  (${loaded.bad} bad: not a measurement)` : ''}`;

const HEAD = `${''.padEnd(34)} ${['calls/s', 'p50 ms', 'p99 ms', 'p99.9', 'max'].map((name) => name.padStart(7)).join(' ')}`;

/** Raises the rate until the 99th percentile leaves its bound. Prints how much of a core the service used. */
const findLimit = async (service, from) => {
  console.log(`\n## Lamppost, a rising rate, ${STEP_SECONDS} s each\n${HEAD}   cores`);
  for (let rate = from; ; rate = Math.round(rate * STEP)) {
    const before = service.server.cpuMicros();
    const result = await load(service, STEP_SECONDS, rate);
    const cores = (service.server.cpuMicros() - before) / 1e6 / STEP_SECONDS;
    console.log(`${line(`asked for ${rate}`, result)} ${cores.toFixed(2).padStart(7)}`);
    if (sharesOf(result)[1] > P99_MS_MAX || perSecond(result) < rate * 0.95) return;
  }
};

export const run = async () => {
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const proxy = await startServer({
    args: ['bench/peers/contract.mjs'],
    port: await freePort(),
    env: {
      STEPS: HOLDS_AND_SETTLES,
      KEY: PEER_KEY,
      DATABASE_URL: await postgres.database('proxy'),
      UPSTREAM: upstream.url,
    },
  });
  const server = await startService(
    { DATABASE_URL: await postgres.database('service'), ...settingsOf(upstream) },
    FLAGS,
  );
  try {
    const service = { url: server.url, key: await fundedKey(server.url), server };
    const peer = { url: proxy.url, key: PEER_KEY };
    await load(service, WARM_SECONDS);
    const half = Math.round(perSecond(await load(service, WARM_SECONDS)) / 2);
    console.log(
      `\n## ${half} calls a second for ${MINUTES} minutes each, ${CONNECTIONS} connections\n${HEAD}`,
    );
    await load(peer, WARM_SECONDS);
    const turns = { 'a proxy with two durable commits': [], 'Lamppost, key rail': [] };
    for (let minute = 0; minute < MINUTES; minute += 1) {
      for (const [at, turn] of Object.values(turns).entries())
        turn.push(await load([peer, service][at], 60, half));
    }
    for (const [name, turn] of Object.entries(turns)) console.log(line(name, joined(turn)));
    await findLimit(service, half);
  } finally {
    await Promise.all([server.stop(), proxy.stop()]);
    await Promise.all([upstream.stop(), postgres.stop()]);
  }
};
