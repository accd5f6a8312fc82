// The processor time of a paid call, stage by stage, for the table in docs/performance.md.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

import { fundedKey } from '../lib/caller.mjs';
import { burst } from '../lib/load.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { familyCpuMicros, freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';
import { stagesOf } from '../lib/stages.mjs';

export const about =
  'what a chat call by key costs, by stage: CPU, and per call reads and writes, promises, bytes, and what Postgres does';

const CONNECTIONS = 16;
const WARM_SECONDS = 15;
/** An idle session of Postgres reports its statistics within ten seconds, so a reading must wait longer. */
const TOLD_MS = 11_000;
const MESSAGES = [
  { role: 'system', content: 'You are terse.' },
  { role: 'user', content: 'hello '.repeat(40) },
];

/** The number of the process's read and write calls to the kernel. */
const systemCalls = (pid) => {
  const text = readFileSync(`/proc/${pid}/io`, 'utf8');
  return [...text.matchAll(/^sysc[rw]: (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
};

/**
 * The server's own statistics: transactions, the active time of its sessions including commits, written rows, and bytes
 * of its log. Each transaction is one statement of ours. The kernel reports the processor time of all its processes.
 */
const databaseUse = (url) =>
  onDatabase(url, async (client) => {
    const { rows } = await client.query(
      `select xact_commit::float8 as statements, active_time * 1000 as "activeMicros",
         (tup_inserted + tup_updated + tup_deleted)::float8 as "rowsWritten",
         (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as "logBytes",
         (select array_agg(pid) from pg_stat_activity where pid <> pg_backend_pid()) as pids
       from pg_stat_database where datname = current_database()`,
    );
    const [{ pids, ...use }] = rows;
    return { ...use, cpuMicros: familyCpuMicros(pids) };
  });

const wordsOf = ({ statements, cpuMicros: cpu, activeMicros, rowsWritten, logBytes }) =>
  `${statements.toFixed(2)} statements, ${cpu.toFixed(0)} us of CPU, ${activeMicros.toFixed(0)} us of its sessions, ` +
  `${rowsWritten.toFixed(2)} rows written, ${logBytes.toFixed(0)} bytes of log`;

/** The difference of two readings, divided by the number of calls. */
const perCall = (before, after, calls) =>
  Object.fromEntries(Object.keys(after).map((name) => [name, (after[name] - before[name]) / calls]));

/**
 * The allocated bytes, and the bytes that survived a minor garbage collection, from the sizes before and after each
 * collection.
 */
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
    // The first measurement has no profiler and no counters, because these cost time themselves.
    const bare = await started('bare', []);
    await measured({ ...bare, seconds: WARM_SECONDS });
    await pause(TOLD_MS);
    const look = async () => ({
      cpu: bare.service.cpuMicros(),
      systemCalls: systemCalls(bare.service.pid),
      ...(await databaseUse(bare.database)),
    });
    const before = await look();
    const { good } = await measured({ ...bare, seconds: seconds * 5 });
    await pause(TOLD_MS);
    const middle = await look();
    const { good: one } = await measured({ ...bare, connections: 1, seconds: seconds * 5 });
    await pause(TOLD_MS);
    const together = perCall(before, middle, good);
    const alone = perCall(middle, await look(), one);
    const { cpu } = together;
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
      `per call: ${together.systemCalls.toFixed(1)} reads and writes, ${promises.toFixed(0)} promises, ` +
        `${(allocatedKb / tracedCalls).toFixed(0)} KB allocated, ` +
        `${(keptKb / tracedCalls).toFixed(1)} KB of it kept beyond a small collection`,
    );
    console.log(`Postgres, per call, ${CONNECTIONS} connections: ${wordsOf(together)}`);
    console.log(`Postgres, per call, 1 connection: ${wordsOf(alone)}`);
  } finally {
    await Promise.all([upstream.stop(), postgres.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
};
