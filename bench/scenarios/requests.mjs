// The request log of one owner with ten million charges: the 99th percentile of each kind of page.
//   ROWS=10000000 npm run bench -- requests --rounds 200
import { createRequire } from 'node:module';

import { onDatabase, startPostgres } from '../lib/postgres.mjs';

const require = createRequire(import.meta.url);
require('reflect-metadata');

export const about = 'pages and histograms of a request log (ROWS, default 1000000), all of one owner';

const OWNER = 'acc_requests';
const BATCH = 500_000;
const DAYS = 90;
/** Forty keys, seven models; one call in a thousand fails, one in ten has a tag, one in a million has a rare tag. */
const FILL = `
  insert into charge (id, rail, operation, payer, account_id, key_id, model_id, state, price_micro, list_micro, fingerprint,
    tag, created_at, settled_at, decided)
  select 'ch_' || lpad(n::text, 9, '0') || substr(md5(n::text), 1, 22), 'api-key', 'studio', '${OWNER}',
    'credits:${OWNER}', 'key_' || n % 40, 'model-' || n % 7,
    case when n % 1000 = 0 then 'released' else 'charged' end, 2000, 2000, sha256(n::text::bytea),
    case when n % 1000000 = 7 then 'rare' when n % 10 = 0 then 'nightly' end, $3::timestamptz + n * $4::interval,
    case when n % 1000 <> 0 then $3::timestamptz + n * $4::interval + interval '1 second' end, n
  from generate_series($1::bigint, $2::bigint) n`;

const fill = (url, rows) =>
  onDatabase(url, async (client) => {
    const started = Date.now();
    await client.query('set session_replication_role = replica');
    await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'`);
    const { rows: indexes } = await client.query(
      `select indexname as name, indexdef as made from pg_indexes
       where schemaname = 'public' and tablename = 'charge' and indexname <> 'PK_charge'`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    const from = new Date(started - DAYS * 86_400_000);
    const step = `${(DAYS * 86_400) / rows} seconds`;
    for (let at = 0; at < rows; at += BATCH)
      await client.query(FILL, [at + 1, Math.min(at + BATCH, rows), from, step]);
    for (const { made } of indexes) await client.query(made);
    await client.query('vacuum (analyze) charge');
    console.log(`${rows} charges made in ${Math.round((Date.now() - started) / 1_000)} s`);
  });

const connect = async (url) => {
  const { migrate } = require('../../dist/src/platform/database/migrations.js');
  const { createDataSource } = require('../../dist/src/platform/database/data-source.js');
  const { Database } = require('../../dist/src/platform/database/database.js');
  const { RequestLogRepository } = require('../../dist/src/notices/requests/request-log.repository.js');
  await migrate(url, { queues: false });
  const source = await createDataSource(url).initialize();
  const db = new Database(source, { databaseUrl: url });
  return {
    log: new RequestLogRepository(db),
    stop: () => db.onApplicationShutdown().then(() => source.destroy()),
  };
};

const PAGE = 50;
const ago = (days) => new Date(Date.now() - days * 86_400_000);
const page = (filter) => (log) => log.page({ owner: OWNER, ...filter }, PAGE);

/** A page at a random position, so that no cache has its rows. */
const deep = (filter) => (log) => {
  const at = BigInt(Math.round(ago(Math.random() * DAYS).getTime())) * 1_000n;
  return log.page({ owner: OWNER, ...filter }, PAGE, { at: at.toString(), id: 'ch_' });
};

const QUESTIONS = {
  'the newest page': page({}),
  'a page at random': deep({}),
  'of one key': page({ keyId: 'key_7' }),
  'of one key, at random': deep({ keyId: 'key_7' }),
  'of one model': page({ modelId: 'model-3' }),
  'of a model that nobody calls': deep({ modelId: 'model-99' }),
  'of a member who made nothing': deep({ member: 'acc_nobody' }),
  'with a tag': page({ tag: 'nightly' }),
  'with a rare tag': page({ tag: 'rare' }),
  'failed calls': deep({ status: 'failed' }),
  'failed, of one key and model': deep({ status: 'failed', keyId: 'key_0', modelId: 'model-3' }),
  'with a code': deep({ code: 'PROVIDER_ERROR' }),
  'histogram of a day': (log) => log.histogram({ owner: OWNER, from: ago(1), to: new Date() }, 1_800),
  'histogram of 90 days': (log) => log.histogram({ owner: OWNER, from: ago(DAYS), to: new Date() }, 162_000),
  'histogram of a member': (log) =>
    log.histogram({ owner: OWNER, member: 'acc_nobody', from: ago(DAYS), to: new Date() }, 162_000),
};

const percentile = (times, part) => times.sort((a, b) => a - b)[Math.ceil(times.length * part) - 1];

export const run = async ({ rounds }) => {
  const rows = Number(process.env.ROWS ?? 1_000_000);
  const postgres = await startPostgres();
  const url = await postgres.database('requests');
  const { log, stop } = await connect(url);
  await fill(url, rows);
  console.log(`${'milliseconds'.padEnd(34)} ${'median'.padStart(8)} ${'p99'.padStart(8)}`);
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const took = [];
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now();
      await ask(log);
      took.push(performance.now() - started);
    }
    const shown = [0.5, 0.99].map((part) => percentile(took, part).toFixed(1).padStart(8));
    console.log(`${name.padEnd(34)} ${shown.join(' ')}`);
  }
  await stop();
  await postgres.stop();
};
