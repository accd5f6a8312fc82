// Delivers events to receivers of different behaviour while workers are killed, and measures the time from one event to
// its receiver.
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { median } from '../lib/contest.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'EVENTS (default 10000) events to 200 receivers of mixed manners, and from commit to receiver';

const RECEIVERS = 200;
const TYPES = ['balance.low', 'spend.high', 'key.limit_near', 'key.expiring', 'balance.topped_up'];
const KILLS = 3;
const SAMPLES = 50;

const answer =
  (status, headers = {}, ms = 0) =>
  (response) =>
    void setTimeout(() => response.writeHead(status, headers).end(), ms);

/** The behaviours of receivers at the first try of a message. */
const MANNERS = [
  answer(200),
  answer(200, {}, 100),
  answer(500),
  (response) => void response.destroy(),
  answer(429, { 'retry-after': '1' }),
  answer(302, { location: '/elsewhere' }),
  answer(204, {}, 1_000),
  () => undefined, // This receiver never answers, so each first try takes ten seconds.
  answer(200),
  answer(503, { 'retry-after': '2' }),
];

/** Starts all receivers, each at its own host. */
const startCrowd = async () => {
  const heard = new Map();
  let told = () => undefined;
  const server = createServer((request, response) => {
    for (const end of [request, response]) end.on('error', () => undefined);
    request.resume().once('end', () => {
      const host = request.headers.host.split(':')[0];
      const id = request.headers['webhook-id'];
      if (!heard.has(host)) heard.set(host, []);
      const ids = heard.get(host);
      const isNew = !ids.includes(id);
      ids.push(id);
      told(id);
      const place = Number(host.split('.')[3]) - 1;
      if (isNew && !id.startsWith('evt_one')) MANNERS[place % MANNERS.length](response);
      else response.writeHead(200).end();
    });
  });
  await new Promise((listening) => server.listen(0, '0.0.0.0', listening));
  return {
    heard,
    port: server.address().port,
    onTold: (hear) => (told = hear),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const hostAt = (place) => `127.0.2.${place + 1}`;
const ownerOf = (place) => `acc_bench_${Math.floor(place / TYPES.length)}`;

/** Registers endpoints without secrets, so only the service's key signs their messages. */
const register = (client, port) =>
  client.query(
    `insert into webhook_endpoint (id, owner, place, url, host, types)
     select 'whe_bench_' || n, 'acc_bench_' || n / ${TYPES.length}, 1 + n % ${TYPES.length},
       'http://127.0.2.' || n + 1 || ':' || $1::int || '/', '127.0.2.' || n + 1,
       jsonb_build_array(($2::text[])[1 + n % ${TYPES.length}])
     from generate_series(0, ${RECEIVERS - 1}) as n`,
    [port, TYPES],
  );

const storm = async (databaseUrl, crowd, workers, startWorker) => {
  const events = Number(process.env.EVENTS ?? 10_000);
  const owners = RECEIVERS / TYPES.length;
  const began = performance.now();
  const writing = Promise.all(
    Array.from({ length: owners }, (_, owner) =>
      onDatabase(databaseUrl, async (client) => {
        for (let n = 0; n < events / owners; n += 1) {
          await client.query(`insert into event (id, owner, type, data) values ($1, $2, $3, '{}')`, [
            `evt_${owner}_${n}`,
            `acc_bench_${owner}`,
            TYPES[n % TYPES.length],
          ]);
        }
      }),
    ),
  );
  for (let kill = 0; kill < KILLS; kill += 1) {
    await pause(2_000);
    const place = kill % workers.length;
    process.kill(workers[place].pid, 'SIGKILL');
    await workers[place].stop();
    workers[place] = await startWorker();
  }
  await writing;
  const written = (performance.now() - began) / 1_000;
  const left = () =>
    onDatabase(databaseUrl, async (client) => {
      // Shortens the longer retry pauses, because some take half an hour.
      await client.query(
        `update webhook_delivery set due_at = now() where state = 'pending' and due_at > now() + interval '5 seconds'`,
      );
      const { rows } = await client.query(
        `select count(*) filter (where state = 'delivered')::int as delivered from webhook_delivery
         where event_id not like 'evt_one%'`,
      );
      return events - rows[0].delivered;
    });
  while ((await left()) > 0) await pause(500);
  const took = (performance.now() - began) / 1_000;
  let lost = 0;
  let disordered = 0;
  let messages = 0;
  for (let place = 0; place < RECEIVERS; place += 1) {
    const ids = (crowd.heard.get(hostAt(place)) ?? []).filter((id) => !id.startsWith('evt_one'));
    const firsts = [...new Set(ids)];
    const owner = ownerOf(place).split('_')[2];
    const wanted = [];
    for (let n = place % TYPES.length; n < events / owners; n += TYPES.length)
      wanted.push(`evt_${owner}_${n}`);
    messages += ids.length;
    lost += wanted.filter((id) => !firsts.includes(id)).length;
    if (JSON.stringify(firsts) !== JSON.stringify(wanted)) disordered += 1;
  }
  console.log(
    `${events} events in ${written.toFixed(1)} s, ${KILLS} workers killed: all taken after ${took.toFixed(1)} s, ` +
      `${messages} messages, ${lost} lost, ${disordered} receivers out of order`,
  );
};

/** The time from the commit of one event to its message at the receiver, beside this many other endpoints. */
const latency = async (databaseUrl, crowd, endpoints) => {
  const took = await onDatabase(databaseUrl, async (client) => {
    const each = [];
    for (let n = 0; n < SAMPLES; n += 1) {
      const id = `evt_one_${endpoints}_${n}`;
      const arrived = new Promise((resolve) =>
        crowd.onTold((told) => told === id && resolve(performance.now())),
      );
      await client.query(`insert into event (id, owner, type, data) values ($1, $2, $3, '{}')`, [
        id,
        ownerOf(0),
        TYPES[0],
      ]);
      const committed = performance.now();
      each.push((await arrived) - committed);
      await pause(50);
    }
    return each.sort((a, b) => a - b);
  });
  console.log(
    `from commit to receiver, ${endpoints} endpoints: median ${median(took).toFixed(1)} ms, ` +
      `95 of 100 within ${took[Math.floor(SAMPLES * 0.95)].toFixed(1)} ms`,
  );
};

export const run = async () => {
  const postgres = await startPostgres();
  const crowd = await startCrowd();
  const databaseUrl = await postgres.database('webhooks');
  const env = {
    DATABASE_URL: databaseUrl,
    SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
    FETCH_ALLOW_HOSTS: Array.from({ length: RECEIVERS }, (_, place) => hostAt(place)).join(','),
  };
  const startWorker = () => startService({ ...env, ROLE: 'worker' });
  const workers = [await startWorker(), await startWorker()];
  try {
    await onDatabase(databaseUrl, (client) => register(client, crowd.port));
    await latency(databaseUrl, crowd, RECEIVERS);
    await onDatabase(databaseUrl, (client) =>
      client.query(
        `insert into webhook_endpoint (id, owner, place, url, host)
         select 'whe_more_' || n, 'acc_more_' || n / 10, 1 + n % 10, 'https://example.com/' || n, 'example.com'
         from generate_series(1, 800) as n`,
      ),
    );
    await latency(databaseUrl, crowd, RECEIVERS + 800);
    await storm(databaseUrl, crowd, workers, startWorker);
  } finally {
    for (const worker of workers) await worker.stop();
    crowd.stop();
    await postgres.stop();
  }
};
