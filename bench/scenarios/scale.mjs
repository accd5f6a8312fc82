// Compares one hot key with 10,000 keys, and 1, 2 and 4 processes on one database.
import { availableParallelism } from 'node:os';

import { fundedKey } from '../lib/caller.mjs';
import { contest, median, table } from '../lib/contest.mjs';
import { burst } from '../lib/load.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'a hot key against 10,000 keys (aim 0.95), and several processes on one database (aim: as much CPU for a call as with one)';

const KEYS = 10_000;
const PROCESSES = [1, 2, 4];
const CONNECTIONS_EACH = 16;
const WARM_SECONDS = 10;
const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'hello '.repeat(40) }], max_tokens: 256 });
const keyAt = (at) => `lp_${String(at).padStart(64, 'k')}`;
const JSON_BODY = { 'content-type': 'application/json' };

/** Adds owners with a key and money, without the triggers that prove each statement. */
const addOwners = (url) =>
  onDatabase(url, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into account (id, email, password_hash)
       select 'acc_scale' || lpad(n::text, 16, '0'), 'scale' || n || '@example.test', 'none' from generate_series(1, $1::int) n`,
      [KEYS],
    );
    await client.query(
      `insert into ledger_account (id, balance_micro, last_seq)
       select 'credits:acc_scale' || lpad(n::text, 16, '0'), 1000000000, 1 from generate_series(1, $1::int) n`,
      [KEYS],
    );
    await client.query(
      `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source)
       select 'credits:acc_scale' || lpad(n::text, 16, '0'), 1, 'top_up', 1000000000, 1000000000, 'bench:' || n
       from generate_series(1, $1::int) n`,
      [KEYS],
    );
    await client.query(
      `insert into api_key (id, account_id, name, prefix, hash, enabled)
       select 'key_scale' || n, 'acc_scale' || lpad(n::text, 16, '0'), 'bench', 'lp_kkkk',
         sha256(convert_to('lp_' || lpad(n::text, 64, 'k'), 'utf8')), true
       from generate_series(1, $1::int) n`,
      [KEYS],
    );
  });

const manyKeys = (options) => {
  let at = 0;
  const setupRequest = (request) => {
    at = (at % KEYS) + 1;
    return { ...request, headers: { ...JSON_BODY, 'x-api-key': keyAt(at) } };
  };
  return { ...options, requests: [{ setupRequest }] };
};

/** Loads all processes at the same time, each with its own callers. */
const together = async (services, request, seconds) => {
  const before = services.map((service) => service.cpuMicros());
  const bursts = await Promise.all(
    services.map(({ url }) => burst({ url, request, connections: CONNECTIONS_EACH, seconds })),
  );
  const good = bursts.reduce((sum, one) => sum + one.good, 0);
  const cpu = services.reduce((sum, service, at) => sum + service.cpuMicros() - before[at], 0);
  const bad = bursts.reduce((sum, one) => sum + one.bad, 0);
  return { perSecond: bursts.reduce((sum, one) => sum + one.perSecond, 0), cpu: cpu / good, bad };
};

export const run = async ({ rounds, seconds, connections }) => {
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const env = {
    DATABASE_URL: await postgres.database('lamppost'),
    SIGNING_SECRET: 'a-secret-for-the-bench-a-secret-for-the-bench',
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    OPENAI_API_KEY: 'a-key-for-the-bench',
    ALLOW_SANDBOX_MIX: 'true',
  };
  const services = [await startService(env)];
  try {
    const [{ url }] = services;
    const request = {
      path: '/v1/agent/chat',
      method: 'POST',
      headers: { ...JSON_BODY, 'x-api-key': await fundedKey(url) },
      body: BODY,
    };
    await addOwners(env.DATABASE_URL);
    for (const count of connections) {
      const settings = { rounds, seconds, connections: count, warmSeconds: WARM_SECONDS };
      const contestants = [
        { name: '10,000 keys', server: services[0], request: manyKeys(request) },
        { name: 'one hot key', server: services[0], request },
      ];
      console.log(table(`POST /v1/agent/chat, ${count} connections`, await contest(contestants, settings)));
    }

    while (services.length < Math.max(...PROCESSES)) services.push(await startService(env));
    const many = manyKeys(request);
    await together(services, many, WARM_SECONDS);
    const seen = new Map(PROCESSES.map((count) => [count, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const count of PROCESSES)
        seen.get(count).push(await together(services.slice(0, count), many, seconds));
    }
    console.log(`\n## 10,000 keys, ${CONNECTIONS_EACH} connections to each process`);
    console.log(`(all processes on one core of ${availableParallelism()}: look at the CPU of a call)`);
    for (const count of PROCESSES) {
      const runs = seen.get(count);
      const bad = runs.reduce((sum, one) => sum + one.bad, 0);
      console.log(
        `${count} ${count === 1 ? 'process  ' : 'processes'} ${Math.round(median(runs.map(({ perSecond }) => perSecond)))} calls/s, ` +
          `${Math.round(median(runs.map(({ cpu }) => cpu)))} us of CPU a call` +
          (bad > 0 ? ` (${bad} bad: not a measurement)` : ''),
      );
    }
  } finally {
    await Promise.all([...services, upstream].map((server) => server.stop()));
    await postgres.stop();
  }
};
