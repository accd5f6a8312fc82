// Where the processor goes on a paid call, stage by stage: the table of docs/performance.md.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

import { fundedKey } from '../lib/caller.mjs';
import { burst } from '../lib/load.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';
import { stagesOf } from '../lib/stages.mjs';

export const about =
  'what a chat call by key costs, by stage: CPU, and per call statements, reads and writes, promises, bytes';

const CONNECTIONS = 16;
const WARM_SECONDS = 15;
const MESSAGES = [
  { role: 'system', content: 'You are terse.' },
  { role: 'user', content: 'hello '.repeat(40) },
];

/** Reads and writes that the process has asked the kernel for. */
const systemCalls = (pid) => {
  const text = readFileSync(`/proc/${pid}/io`, 'utf8');
  return [...text.matchAll(/^sysc[rw]: (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
};

/** Transactions of the service's own database; each of our statements is one. */
const transactions = (url) =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query(
      `select xact_commit::int as n from pg_stat_database where datname = current_database()`,
    );
    return rows[0].n;
  });

/** What was allocated, and what of it outlived a small collection of garbage: from what each began and ended with. */
const memoryIn = (trace) => {
  let [allocated, kept, after] = [0, 0, undefined];
  for (const [, kind, from, to] of trace.matchAll(/ms: (\S+) ([\d.]+) \([\d.]+\) -> ([\d.]+) \(/g)) {
    if (after !== undefined) {
      allocated += Number(from) - after;
      if (kind === 'Scavenge') kept += Number(to) - after;
    }
    after = Number(to);
  }
  return { allocatedKb: allocated * 1024, keptKb: kept * 1024 };
};

const measured = ({ service, request, connections = CONNECTIONS, seconds }) =>
  burst({ url: service.url, request, connections, seconds });

export const run = async ({ seconds }) => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-bench-profile-'));
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const outside = {
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    OPENAI_API_KEY: 'a-key-for-the-bench',
    ALLOW_SANDBOX_MIX: 'true',
    SIGNING_SECRET: 'a-secret-for-the-bench-a-secret-for-the-bench',
  };
  const started = async (name, flags) => {
    const database = await postgres.database(name);
    const service = await startService({ ...outside, DATABASE_URL: database }, flags);
    const headers = { 'content-type': 'application/json', 'x-api-key': await fundedKey(service.url) };
    const body = JSON.stringify({ messages: MESSAGES, max_tokens: 256 });
    return { service, database, request: { path: '/v1/agent/chat', method: 'POST', headers, body } };
  };
  try {
    // Bare first: a profiler and counters cost something themselves.
    const bare = await started('bare', []);
    await measured({ ...bare, seconds: WARM_SECONDS });
    const before = [
      bare.service.cpuMicros(),
      systemCalls(bare.service.pid),
      await transactions(bare.database),
    ];
    const { good } = await measured({ ...bare, seconds: seconds * 5 });
    await pause(1_500); // The server counts what it did a second later.
    const after = [
      bare.service.cpuMicros(),
      systemCalls(bare.service.pid),
      await transactions(bare.database),
    ];
    const [cpu, calls, statements] = after.map((value, at) => (value - before[at]) / good);
    const alone = await transactions(bare.database);
    const { good: one } = await measured({ ...bare, connections: 1, seconds });
    await pause(1_500);
    const statementsAlone = ((await transactions(bare.database)) - alone) / one;
    await bare.service.stop();

    const begun = performance.now();
    const profiled = await started('profiled', [
      '--cpu-prof',
      `--cpu-prof-dir=${folder}`,
      '--cpu-prof-interval=200',
    ]);
    await measured({ ...profiled, seconds: WARM_SECONDS });
    const skipMs = performance.now() - begun;
    await measured({ ...profiled, seconds: seconds * 5 });
    await profiled.service.stop();
    const [file] = readdirSync(folder);
    const stages = stagesOf(JSON.parse(readFileSync(join(folder, file), 'utf8')), skipMs);

    const traced = await started('traced', ['--trace-gc']);
    await measured({ ...traced, seconds: 5 });
    const from = traced.service.output().length;
    const { good: tracedCalls } = await measured({ ...traced, seconds });
    const { allocatedKb, keptKb } = memoryIn(traced.service.output().slice(from));
    await traced.service.stop();

    const counted = await started('counted', ['--require', './bench/lib/count-promises.cjs']);
    await measured({ ...counted, seconds: 2 });
    process.kill(counted.service.pid, 'SIGUSR2');
    const { good: countedCalls } = await measured({ ...counted, seconds });
    process.kill(counted.service.pid, 'SIGUSR2');
    await pause(200);
    const promises = Number(/promises: (\d+)/.exec(counted.service.output())?.[1]) / countedCalls;
    await counted.service.stop();

    const total = [...stages.values()].reduce((sum, ms) => sum + ms, 0);
    console.log(`\n## a chat call by key, ${CONNECTIONS} connections: ${cpu.toFixed(0)} us of CPU`);
    for (const [stage, ms] of [...stages].sort(([, a], [, b]) => b - a)) {
      const share = ms / total;
      console.log(
        `${stage.padEnd(38)} ${(share * cpu).toFixed(0).padStart(5)} us ${(share * 100).toFixed(0).padStart(4)} %`,
      );
    }
    console.log(
      `per call: ${statements.toFixed(2)} statements (${statementsAlone.toFixed(2)} at one connection), ` +
        `${calls.toFixed(1)} reads and writes, ${promises.toFixed(0)} promises, ${(allocatedKb / tracedCalls).toFixed(0)} KB allocated, ` +
        `${(keptKb / tracedCalls).toFixed(1)} KB of it kept beyond a small collection`,
    );
  } finally {
    await Promise.all([upstream.stop(), postgres.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
};
