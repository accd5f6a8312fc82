// Kills the primary of a Patroni pair while callers call, and reports what they see and how late pictures come.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { fundedKey } from '../lib/caller.mjs';
import { startPair } from '../lib/patroni.mjs';
import { onDatabase } from '../lib/postgres.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'KILLS (default 7) primaries of a Patroni pair die while nine callers call two processes';

const KILLS = Number(process.env.KILLS ?? 7);
const CALLERS = 9;
const PICTURE_SECONDS = 6;
/** A caller repeats a call with its key until it is answered, for this long. */
const PATIENCE_MS = 90_000;

/** Sends a call until a 200, and counts all answers. */
const askUntilDone = async (url, path, body, key, tally) => {
  const headers = { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': randomUUID() };
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(500)) {
    const what = await fetch(url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    }).then(
      async (answer) => {
        await answer.text();
        return answer.status;
      },
      (error) => String(error.cause?.code ?? error.name),
    );
    tally.set(what, (tally.get(what) ?? 0) + 1);
    if (what === 200) return true;
  }
  tally.set('given up', (tally.get('given up') ?? 0) + 1);
  return false;
};

/** When the database takes writes again, as seen through the proxy. */
const databaseBack = async (url) => {
  for (;;) {
    const writable = await onDatabase(url, async (client) => {
      const { rows } = await client.query('select not pg_is_in_recovery() as writable');
      return rows[0].writable;
    }).catch(() => false);
    if (writable) return Date.now();
    await pause(100);
  }
};

export const run = async () => {
  if (!['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy'].every((file) => existsSync(file))) {
    console.log('Skipped: this needs patroni, etcd-server, haproxy and postgresql-15.');
    return;
  }
  const pair = await startPair();
  const services = [];
  const tally = new Map();
  const over = new AbortController();
  try {
    const env = { DATABASE_URL: pair.url, SIGNING_SECRET: 'a-secret-for-the-bench-a-secret-for-the-bench' };
    for (let count = 0; count < 2; count += 1) services.push(await startService(env));
    const key = await fundedKey(services[0].url);
    const calls = { chat: 0, picture: 0 };
    const caller = async (at) => {
      const { url } = services[at % 2];
      while (!over.signal.aborted) {
        const isPicture = at % 3 !== 0;
        const [path, body] = isPicture
          ? ['/v1/agent/generate', { prompt: `A lamp ${randomUUID()} [[delay ${PICTURE_SECONDS}s]]` }]
          : [
              '/v1/agent/chat',
              { messages: [{ role: 'user', content: `Say ${randomUUID()}.` }], max_tokens: 32 },
            ];
        if (await askUntilDone(url, path, body, key, tally)) calls[isPicture ? 'picture' : 'chat'] += 1;
      }
    };
    const callers = Array.from({ length: CALLERS }, (_, at) => caller(at));
    const absences = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pair.settled();
      await pause(8_000);
      const dead = await pair.killPrimary();
      const from = Date.now();
      const to = await databaseBack(pair.url);
      absences.push({ from, to });
      console.log(`${dead.name} dies; writes are possible after ${((to - from) / 1_000).toFixed(1)} s`);
      await pause(35_000);
      dead.revive();
    }
    over.abort();
    await Promise.all(callers);
    const jobs = await onDatabase(
      pair.url,
      async (client) =>
        (await client.query('select status, created_at, finished_at, error_code from job')).rows,
    );
    const late = (job) => {
      const due = job.created_at.getTime() + PICTURE_SECONDS * 1_000;
      const kill = absences.find(({ from }) => job.created_at < from && job.finished_at > from);
      return {
        seconds: (job.finished_at - Math.max(due, kill?.to ?? 0)) / 1_000,
        atKill: kill !== undefined,
      };
    };
    const ended = jobs.filter((job) => job.finished_at).map((job) => ({ ...job, ...late(job) }));
    const atKill = ended.filter((job) => job.atKill);
    const worst = (list) => Math.max(0, ...list.map(({ seconds }) => seconds)).toFixed(1);
    const failed = jobs.filter(({ status }) => status !== 'done');
    console.log('answers:', Object.fromEntries(tally), 'done:', calls);
    console.log(
      `pictures: ${jobs.length}, not done: ${failed.map((job) => job.error_code ?? job.status).join(', ') || 0}`,
    );
    console.log(
      `late after the database is back: ${worst(atKill)} s at most of ${atKill.length} pictures under way at a kill, ` +
        `${worst(ended)} s of all ${ended.length}`,
    );
    const drift = await fetch(`${services[0].url}/v1/admin/drift`, {
      headers: { authorization: 'Bearer an-admin-token-for-the-bench' },
    });
    console.log('drift:', JSON.stringify(await drift.json()));
    for (const [at, { pid, output }] of services.entries()) {
      const alive = (() => {
        try {
          return process.kill(pid, 0);
        } catch {
          return false;
        }
      })();
      console.log(`process ${at + 1}: ${alive ? 'alive' : `ended\n${output().slice(-2_000)}`}`);
    }
  } finally {
    over.abort();
    for (const service of services) await service.stop();
    await pair.stop();
  }
};
