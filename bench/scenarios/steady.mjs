// The latency of a paid call under a steady load: half of what the service can do. Service and a proxy run alternately, a
// minute each. The proxy holds a charge and settles it: two durable commits a call, as the service. The bench also finds the
// rate at which the 99th percentile leaves 50 ms, from a quarter of the capacity on. With `MINUTES=0` it finds only that rate.
// `FLAGS` are options of Node for the service, such as `--v8-pool-size=1`.
import { fundedKey } from '../lib/caller.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { familyCpuMicros, freePort, startServer } from '../lib/process.mjs';
import { settingsOf, startService } from '../lib/service.mjs';
import { CONNECTIONS, steadyLoad as load } from '../lib/steady-load.mjs';

export const about =
  'p50, p99 and p99.9 of a paid call at half of the capacity (aim: p99 within 1.5 times of a proxy), and what gives first';

const MINUTES = Number(process.env.MINUTES ?? 10);
const FLAGS = (process.env.FLAGS ?? '').split(' ').filter((flag) => flag !== '');
const WARM_SECONDS = 20;
/** Long enough for the work of each minute to be in every step. */
const STEP_SECONDS = 60;
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

/** The processor time of the server of a database, with all its processes. */
const postgresMicros = (url) =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query(
      'select array_agg(pid) as pids from pg_stat_activity where pid <> pg_backend_pid()',
    );
    return familyCpuMicros(rows[0].pids);
  });

/** Raises the rate until the 99th percentile leaves its bound. Prints how many cores the service and Postgres used. */
const findLimit = async (service, databaseUrl, from) => {
  console.log(
    `\n## Lamppost, a rising rate, ${STEP_SECONDS} s each\n${HEAD}   cores of the service, of Postgres`,
  );
  for (let rate = from; ; rate = Math.round(rate * STEP)) {
    const [own, postgres] = [service.server.cpuMicros(), await postgresMicros(databaseUrl)];
    const result = await load(service, STEP_SECONDS, rate);
    const used = [service.server.cpuMicros() - own, (await postgresMicros(databaseUrl)) - postgres];
    const cores = used.map((micros) => (micros / 1e6 / result.seconds).toFixed(2).padStart(7));
    console.log(`${line(`asked for ${rate}`, result)} ${cores.join(' ')}`);
    const reason =
      sharesOf(result)[1] > P99_MS_MAX
        ? `the 99th percentile is above ${P99_MS_MAX} ms`
        : 'the service answers fewer calls than it gets';
    if (sharesOf(result)[1] > P99_MS_MAX || perSecond(result) < rate * 0.95 || result.bad > 0)
      return console.log(`Ends at ${rate} calls a second: ${reason}.`);
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
  const databaseUrl = await postgres.database('service');
  const server = await startService({ DATABASE_URL: databaseUrl, ...settingsOf(upstream) }, FLAGS);
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
    for (const [name, turn] of Object.entries(turns))
      if (turn.length > 0) console.log(line(name, joined(turn)));
    await findLimit(service, databaseUrl, Math.round(half / 2));
  } finally {
    await Promise.all([server.stop(), proxy.stop()]);
    await Promise.all([upstream.stop(), postgres.stop()]);
  }
};
