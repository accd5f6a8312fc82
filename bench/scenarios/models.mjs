// A service that sells 2,000 models of a vendor's list, beside one that sells a single one. Other work on the machine
// changes how long a call takes, so this counts the processor time of the service, in many short alternating turns.
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

import { fundedKey } from '../lib/caller.mjs';
import { median } from '../lib/contest.mjs';
import { calls } from '../lib/load.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'a call and a start with 2,000 listed models (aims: at most 1 % more CPU for a call, at most 100 ms more for a start)';

const COUNTS = [1, 2_000];
const SIGNING_SECRET = 'a-secret-for-the-bench-0123456789abcdef';
const SOLD_MS_MAX = 60_000;
/** The whole scenario ends in less than eight minutes. */
const STARTS_MS_MAX = 90_000;
const CALLS_MS_MAX = 240_000;
const STARTS = 12;
const TURNS = 150;
const CALLS_A_TURN = 1_000;
const WARM_CALLS = 10_000;
const CONNECTIONS = 16;

const isSold = async (url, count) => {
  const { textModels } = await (await fetch(`${url}/v1/agent/models`)).json();
  return textModels.filter(({ id }) => id.startsWith('bench/')).length === count;
};

/** Starts a service and waits until it sells the list. Returns what its start took, by the clock and the processor. */
const starterOf = async (count, databaseUrl) => {
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
    const clock = performance.now() - began;
    const cpu = service.cpuMicros() / 1_000;
    if (!answer.ok) throw new Error(`The service is not ready: ${answer.status}.`);
    const until = Date.now() + SOLD_MS_MAX;
    while (!(await isSold(service.url, count))) {
      if (Date.now() > until) throw new Error(`The service does not sell ${count} models.`);
      await pause(100);
    }
    return { service, clock, cpu };
  };
  return { start, vendor };
};

/** The median of the differences, and the range that holds the true one in 95 of 100 runs. */
const estimate = (differences) => {
  const draws = Array.from({ length: 2_000 }, () =>
    median(differences.map(() => differences[Math.floor(Math.random() * differences.length)])),
  ).sort((a, b) => a - b);
  return { middle: median(differences), low: draws[50], high: draws[1_949] };
};

const text = ({ middle, low, high }, digits = 0) =>
  `${middle.toFixed(digits)} (95 %: ${low.toFixed(digits)} to ${high.toFixed(digits)})`;

/** Alternates which of the two goes first. */
const inTurns = async (turns, msMax, take) => {
  const pairs = [];
  const until = Date.now() + msMax;
  for (let turn = 0; turn < turns && Date.now() < until; turn += 1) {
    const pair = [];
    for (const at of turn % 2 === 0 ? [0, 1] : [1, 0]) pair[at] = await take(at);
    pairs.push(pair);
  }
  return pairs;
};

const moreOf = (pairs) => pairs.map(([one, many]) => many - one);

const measureStarts = async (sides, part) => {
  // The first start reads the list.
  for (const { start } of sides) await (await start()).service.stop();
  const pairs = await inTurns(STARTS * part, STARTS_MS_MAX * part, async (at) => {
    const { service, clock, cpu } = await sides[at].start();
    await service.stop();
    return { clock, cpu };
  });
  for (const [name, of] of [
    ['processor', ({ cpu }) => cpu],
    ['clock', ({ clock }) => clock],
  ]) {
    const values = pairs.map((pair) => pair.map(of));
    console.log(
      `start, ${name}: ${median(values.map(([one]) => one)).toFixed(0)} ms with one model; ` +
        `with 2,000: ${text(estimate(moreOf(values)))} ms more, ${pairs.length} pairs`,
    );
  }
};

const measureCalls = async (services, part) => {
  const requests = [];
  for (const { url } of services)
    requests.push({
      path: '/v1/agent/chat',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': await fundedKey(url) },
      body: JSON.stringify({
        model: 'bench/model-n0',
        messages: [{ role: 'user', content: 'Say why lampposts are green.' }],
      }),
    });
  const callsOf = async (at, amount) => {
    const before = services[at].cpuMicros();
    const { good, bad } = await calls({
      url: services[at].url,
      request: requests[at],
      connections: CONNECTIONS,
      amount,
    });
    if (bad > 0) throw new Error(`${bad} calls failed.`);
    return (services[at].cpuMicros() - before) / good;
  };
  for (const at of [0, 1]) await callsOf(at, WARM_CALLS);
  const pairs = await inTurns(TURNS * part, CALLS_MS_MAX * part, (at) => callsOf(at, CALLS_A_TURN));
  const percent = estimate(pairs.map(([one, many]) => (many / one - 1) * 100));
  console.log(
    `call, processor: ${median(pairs.map(([one]) => one)).toFixed(0)} µs with one model; ` +
      `with 2,000: ${text(percent, 2)} % more, ${pairs.length} pairs of ${CALLS_A_TURN} calls each`,
  );
};

export const run = async ({ rounds }) => {
  const postgres = await startPostgres();
  const sides = [];
  const services = [];
  console.log(`load at the beginning: ${loadavg()[0].toFixed(1)}`);
  try {
    for (const count of COUNTS) {
      const url = await postgres.database(`models_${count}`);
      execFileSync(process.execPath, ['dist/src/migrate.js'], {
        env: { ...process.env, DATABASE_URL: url, SIGNING_SECRET, NODE_ENV: 'production' },
        stdio: 'ignore',
      });
      sides.push(await starterOf(count, url));
    }
    // `--rounds 5`, the default, is the whole measurement.
    const part = Math.min(1, rounds / 5);
    await measureStarts(sides, part);
    for (const { start } of sides) services.push((await start()).service);
    await measureCalls(services, part);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    for (const { vendor } of sides) await vendor.stop();
    await postgres.stop();
  }
};
