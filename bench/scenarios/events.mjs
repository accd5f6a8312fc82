// Measures the time from the commit of an event to its first byte at a reader. It also measures the cost of an idle
// stream, and the cost of the event log for a paid call. `IDLE=5000` sets the number of streams. With
// `BEFORE=/another/checkout` (built), the paid call is compared with that checkout.
import { Agent, request } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import pg from 'pg';

import { contest, median, table } from '../lib/contest.mjs';
import { fundedKey } from '../lib/caller.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'events: commit to byte at 1 and 1000 listeners, idle streams, and what the log adds to a chat call';

const PER_OWNER = 20;
const PER_ADDRESS = 200;
const CALM_SECONDS = 20;
const CHAT = JSON.stringify({
  messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }],
});
const SERVICE = { SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef', TRUSTED_PROXIES: '127.0.0.1' };

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/** Sends a request from a separate address, as a proxy reports it. */
const asked = (service, { key }, at, query, headers) =>
  new Promise((done, fail) => {
    const address = `10.0.${Math.floor(at / PER_ADDRESS / 250)}.${Math.floor(at / PER_ADDRESS) % 250}`;
    request(`${service.url}/v1/agent/events${query}`, {
      agent,
      headers: { 'x-api-key': key, 'x-forwarded-for': address, ...headers },
    })
      .once('response', done)
      .once('error', fail)
      .end();
  });

/** Owners with a key. Each may have a few open streams. */
const ownersFor = async (service, database, listeners) => {
  const owners = [];
  for (let n = 0; n < Math.ceil(listeners / PER_OWNER); n += 1) {
    const key = await fundedKey(service.url);
    const { rows } = await database.query('select id from account order by created_at desc limit 1');
    owners.push({ key, id: rows[0].id });
  }
  return owners;
};

const told = async (database, owners, round) => {
  await database.query(
    `insert into event (id, owner, type, data) select 'evt_bench' || $2 || '_' || n, owner, 'balance.low', '{}'
     from unnest($1::text[]) with ordinality as o (owner, n)`,
    [owners.map(({ id }) => id), round],
  );
  return performance.now();
};

const percentile = (values, part) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * part) - 1];

const show = (what, listeners, rounds) => {
  const all = rounds.flat();
  const last = median(rounds.map((times) => Math.max(...times)));
  console.log(
    `${what}, ${listeners} listeners: median ${median(all).toFixed(1)} ms, 99 % ${percentile(all, 0.99).toFixed(1)} ms, ` +
      `the last of them ${last.toFixed(1)} ms`,
  );
};

const streams = async (service, database, owners, listeners, rounds) => {
  const open = [];
  let heard = () => undefined;
  for (let at = 0; at < listeners; at += 1) {
    const answer = await asked(service, owners[at % owners.length], at, '?after=now', {
      accept: 'text/event-stream',
    });
    if (answer.statusCode !== 200) throw new Error(`A stream answered ${answer.statusCode}.`);
    answer.on('data', (chunk) => chunk.includes('event:') && heard());
    open.push(answer);
  }
  await pause(1_000);
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const seen = [];
    const all = new Promise((done) => {
      heard = () => seen.push(performance.now()) === listeners && done();
    });
    const committed = await told(database, owners, `s${listeners}x${round}`);
    await all;
    times.push(seen.map((time) => time - committed));
    await pause(200);
  }
  for (const answer of open) answer.destroy();
  show('stream', listeners, times);
};

const waits = async (service, database, owners, listeners, rounds) => {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const { rows } = await database.query('select max(position) as latest from event_watermark');
    const waiting = Array.from({ length: listeners }, async (_, at) => {
      const query = `?after=at_${rows[0].latest}`;
      const answer = await asked(service, owners[at % owners.length], at, query, { prefer: 'wait=60' });
      answer.resume();
      return performance.now();
    });
    await pause(3_000);
    const committed = await told(database, owners, `w${listeners}x${round}`);
    times.push((await Promise.all(waiting)).map((time) => time - committed));
  }
  show('wait', listeners, times);
};

const idle = async (service, owners, count) => {
  await pause(2_000);
  const before = service.residentBytes();
  const open = [];
  for (let at = 0; at < count; at += 1) {
    open.push(
      await asked(service, owners[at % owners.length], at, '?after=now', { accept: 'text/event-stream' }),
    );
  }
  const refused = open.filter(({ statusCode }) => statusCode !== 200).length;
  if (refused > 0) throw new Error(`${refused} streams were refused.`);
  for (const answer of open) answer.resume();
  await pause(2_000);
  const kilobytes = (service.residentBytes() - before) / 1_000 / count;
  const cpu = service.cpuMicros();
  await pause(CALM_SECONDS * 1_000);
  const load = (service.cpuMicros() - cpu) / CALM_SECONDS / 10_000;
  console.log(
    `${count} idle streams: ${kilobytes.toFixed(1)} KB each, ${Math.round(service.residentBytes() / 1e6)} MB in all, ` +
      `${load.toFixed(1)} % of a core`,
  );
  for (const answer of open) answer.destroy();
};

const paidCall = async (postgres, options) => {
  const before = process.env.BEFORE;
  if (before === undefined) {
    console.log('what the log adds to a paid call: set BEFORE to a built checkout without it');
    return;
  }
  const main = (root) => resolve(root, 'dist/src/main.js');
  const sides = [];
  try {
    for (const [name, root] of [
      ['before', before],
      ['with the log', '.'],
    ]) {
      const DATABASE_URL = await postgres.database(name.replaceAll(' ', '_'));
      const server = await startService({ ...SERVICE, DATABASE_URL }, [], main(root));
      const headers = { 'content-type': 'application/json', 'x-api-key': await fundedKey(server.url) };
      sides.push({ name, server, request: { path: '/v1/agent/chat', method: 'POST', headers, body: CHAT } });
    }
    for (const connections of options.connections) {
      const rows = await contest(sides, { ...options, connections });
      console.log(table(`POST /v1/agent/chat, ${connections} connections`, rows));
    }
  } finally {
    for (const { server } of sides) await server.stop();
  }
};

export const run = async (options) => {
  const postgres = await startPostgres();
  const DATABASE_URL = await postgres.database('lamppost');
  const service = await startService({ ...SERVICE, DATABASE_URL });
  const database = new pg.Client(DATABASE_URL);
  await database.connect();
  try {
    const count = Number(process.env.IDLE ?? 5_000);
    const owners = await ownersFor(service, database, Math.max(1_000, count));
    for (const listeners of [1, 1_000]) {
      const those = owners.slice(0, Math.ceil(listeners / PER_OWNER));
      await streams(service, database, those, listeners, options.rounds);
      await waits(service, database, those, listeners, options.rounds);
    }
    // A new process, so that memory of the earlier measurements does not count.
    const fresh = await startService({ ...SERVICE, DATABASE_URL });
    try {
      await idle(fresh, owners, count);
    } finally {
      await fresh.stop();
    }
  } finally {
    await database.end();
    await service.stop();
  }
  try {
    await paidCall(postgres, options);
  } finally {
    await postgres.stop();
  }
};
