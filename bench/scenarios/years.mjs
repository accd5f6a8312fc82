// The time of frequent reads on a database with a year of calls, compared with an empty database.
//   ROWS=100000000 YEARS_URL=postgres://… npm run bench -- years --rounds 20
// Without YEARS_URL, the bench uses a temporary embedded database. It uses a filled database unchanged.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

import { median } from '../lib/contest.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';

const require = createRequire(import.meta.url);
require('reflect-metadata');

export const about =
  'a debit, pages, usage, status and the books on a year of calls, against an empty database (ROWS, default 1000000)';

const OWNERS = 1_000;
const BATCH = 500_000;
const YEAR_DAYS = 365;
/** Every tenth call belongs to this owner. */
const BUSY = 'acc_years0000000';
const QUIET = 'acc_years0000001';
/** Adds the same rows as real calls, in the order of their time, without the triggers that prove each statement. */
const FILL = `
  with call as materialized (
    select n, at, 'ch_' || prefix.of || substr(encode(sha256(n::text::bytea), 'base64'), 1, 22) as id,
      'acc_years' || lpad((case when n % 10 = 0 then 0 else n % ${OWNERS} end)::text, 7, '0') as payer
    from generate_series($1::bigint, $2::bigint) n,
      lateral (select $3::timestamptz + n * $4::interval as at) moment,
      lateral (select
        chr36.of[1 + ms / 2821109907456 % 36] || chr36.of[1 + ms / 78364164096 % 36] || chr36.of[1 + ms / 2176782336 % 36]
        || chr36.of[1 + ms / 60466176 % 36] || chr36.of[1 + ms / 1679616 % 36] || chr36.of[1 + ms / 46656 % 36]
        || chr36.of[1 + ms / 1296 % 36] || chr36.of[1 + ms / 36 % 36] || chr36.of[1 + ms % 36] as of
        from (select (extract(epoch from at) * 1000)::bigint as ms) time,
          (select string_to_array('0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z', ',') as of) chr36
      ) prefix
  ), charged as (
    insert into charge (id, rail, operation, payer, account_id, key_id, model_id, state, price_micro, list_micro,
      fingerprint, mark, created_at, settled_at, decided)
    select id, 'api-key', 'chat', payer, 'credits:' || payer, 'key_' || payer, 'model-' || n % 7, 'charged', 2000, 2000,
      sha256(id::bytea), case when n % 2 = 0 then 'idempotency-key:' || substr(id, 4, 24) end, at,
      at + interval '1 second', n
    from call
  )
  insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id, model_id, created_at)
  select 'credits:' || payer, n, 'debit', 2000, 1000000000, id, 'model-' || n % 7, at from call`;

const indexesOf = async (client) => {
  const { rows } = await client.query(
    `select indexname as name, indexdef as made from pg_indexes
     where schemaname = 'public' and tablename in ('charge', 'ledger_entry')
       and indexname not in ('PK_charge', 'PK_ledger_entry')`,
  );
  return rows;
};

const fill = (url, rows) =>
  onDatabase(url, async (client) => {
    const { rows: there } = await client.query(
      `select reltuples from pg_class where relname = 'ledger_entry'`,
    );
    if (there[0].reltuples > 0) return;
    const started = Date.now();
    await client.query('set session_replication_role = replica');
    await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'`);
    const indexes = await indexesOf(client);
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    const from = new Date(started - YEAR_DAYS * 86_400_000);
    const step = `${(YEAR_DAYS * 86_400) / rows} seconds`;
    for (let at = 0; at < rows; at += BATCH) {
      await client.query(FILL, [at + 1, Math.min(at + BATCH, rows), from, step]);
      if (at % (BATCH * 10) === 0) console.log(`${at + BATCH} of ${rows} after ${seconds(started)} s`);
    }
    for (const { made } of indexes) await client.query(made);
    await client.query(`
      insert into ledger_account (id, balance_micro, last_seq)
      select account_id, 1000000000, max(seq) from ledger_entry group by 1`);
    await client.query('vacuum (analyze) charge, ledger_entry, ledger_account');
    console.log(`filled in ${seconds(started)} s`);
  });

const seconds = (since) => Math.round((Date.now() - since) / 1_000);

const connect = async (url) => {
  const { migrate } = require('../../dist/src/platform/database/migrations.js');
  const { createDataSource } = require('../../dist/src/platform/database/data-source.js');
  const { Database } = require('../../dist/src/platform/database/database.js');
  const { LedgerRepository } = require('../../dist/src/money/billing/ledger/ledger.repository.js');
  const {
    LedgerEntriesRepository,
  } = require('../../dist/src/money/billing/ledger/ledger-entries.repository.js');
  const { UsageDayRepository } = require('../../dist/src/money/billing/charges/usage-day.repository.js');
  const {
    ChargeReportRepository,
  } = require('../../dist/src/money/billing/charges/charge-report.repository.js');
  const { ModelHealthRepository } = require('../../dist/src/faces/health/model-health.repository.js');
  const {
    ReconciliationRepository,
  } = require('../../dist/src/money/billing/sweeps/reconciliation.repository.js');
  await migrate(url, { queues: false });
  const source = await createDataSource(url).initialize();
  const db = new Database(source, { databaseUrl: url });
  const ledger = new LedgerRepository(db);
  return {
    ledger,
    entries: new LedgerEntriesRepository(db),
    db,
    reports: new ChargeReportRepository(db),
    days: new UsageDayRepository(db),
    health: new ModelHealthRepository(db),
    books: new ReconciliationRepository(db),
    stop: () => db.onApplicationShutdown().then(() => source.destroy()),
  };
};

const DRAFT = {
  rail: 'api-key',
  operation: 'chat',
  modelId: 'bench',
  price: 1n,
  list: 1n,
  discountPercent: 0,
};
const account = (payer) => `credits:${payer}`;
const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const since = (days) => new Date(Date.now() - days * 86_400_000);

const hold = async ({ ledger }) => {
  const held = await ledger.hold({
    ...DRAFT,
    id: `ch_${Date.now().toString(36).padStart(9, '0')}${randomBytes(16).toString('base64url')}`,
    payer: 'acc_yearsdebits',
    accountId: account('acc_yearsdebits'),
    fingerprint: randomBytes(32),
  });
  if (!held.ok) throw new Error(`A hold was refused: ${held.reason}.`);
};

/** The reads of people and of the service itself. */
const QUESTIONS = {
  'a debit': hold,
  'a page of transactions': ({ entries }) => entries.page(account(BUSY), { limit: 50 }),
  'usage of 30 days, busy owner': ({ reports }) => reports.usage(BUSY, day(29), day(0)),
  'usage of 30 days, others': ({ reports }) => reports.usage(QUIET, day(29), day(0)),
  'usage of a year, busy owner': ({ reports }) => reports.usage(BUSY, day(364), day(0)),
  'status of 24 hours': ({ health }) => health.since(since(1), 3_600),
  'status of 30 days': ({ health }) => health.since(since(30), 86_400),
  'charges for operators': ({ reports }) => reports.page(undefined, 50),
  'books: newest entries': ({ books }) => books.balancesAgainstNewest(),
  'books: sums of a slice': ({ books }) => books.balancesAgainstSums(0),
  'books: charges of an hour': ({ books }) => books.chargesAgainstEntries({ isAwaited: true }),
};

/** The sums that workers compute hour by hour, here all at once. */
const addUp = async ({ db, days, health }) => {
  const started = Date.now();
  let hours = 0;
  const again = (error) => {
    // On a busy machine a statement may exceed its limit, so it is repeated.
    if (error.kind !== 'unavailable') throw error;
    return true;
  };
  while (await days.addHour().catch(again)) hours += 1;
  while ((await health.addHour().catch(again)) || (await health.finishHour().catch(again))) hours += 1;
  await db.rows('vacuum analyze usage_day');
  await db.rows('vacuum analyze model_hour');
  console.log(`${hours} hours added up in ${seconds(started)} s`);
};

const timed = async (work) => {
  const started = performance.now();
  const failed = await work().then(
    () => undefined,
    (error) => error,
  );
  return failed === undefined ? performance.now() - started : Number.POSITIVE_INFINITY;
};

const SIZES = `
  select relname as name, pg_table_size(oid) as rows, pg_indexes_size(oid) as indexes
  from pg_class where relname in ('charge', 'ledger_entry', 'usage_day') order by 1`;

const sizes = (url, rows) =>
  onDatabase(url, async (client) => {
    for (const table of (await client.query(SIZES)).rows)
      console.log(
        `${table.name}: ${Math.round(table.rows / rows)} bytes a call, and ${Math.round(table.indexes / rows)} in indexes`,
      );
  });

export const run = async ({ rounds }) => {
  const rows = Number(process.env.ROWS ?? 1_000_000);
  const postgres = process.env.YEARS_URL === undefined ? await startPostgres() : undefined;
  const fullUrl = process.env.YEARS_URL ?? (await postgres.database('years'));
  const emptyUrl = postgres ? await postgres.database('empty') : process.env.EMPTY_URL;
  if (emptyUrl === undefined) throw new Error('EMPTY_URL must name an empty database beside YEARS_URL.');
  const sides = [await connect(emptyUrl), await connect(fullUrl)];
  await fill(fullUrl, rows);
  await addUp(sides[1]);
  await sizes(fullUrl, rows);
  for (const { ledger } of sides)
    await ledger.topUp(account('acc_yearsdebits'), 9_000_000_000_000n, `bench:${Date.now()}`);
  console.log(`${'milliseconds, median'.padEnd(32)} ${'empty'.padStart(10)} ${'full'.padStart(10)}`);
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const took = sides.map(() => []);
    for (let round = 0; round <= rounds; round += 1)
      for (const [place, side] of sides.entries()) {
        const milliseconds = await timed(() => ask(side));
        if (round > 0 || milliseconds > 5_000) took[place].push(milliseconds);
      }
    const shown = took.map((times) => {
      const middle = median(times);
      return Number.isFinite(middle) ? middle.toFixed(2) : 'fails';
    });
    console.log(`${name.padEnd(32)} ${shown.map((text) => text.padStart(10)).join(' ')}`);
  }
  for (const side of sides) await side.stop();
  await postgres?.stop();
};
