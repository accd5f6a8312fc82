// The ledger alone: coalesced holds, compared with one statement for each hold, with pgbench, and with a ledger that is
// a thousand times as long.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { median } from '../lib/contest.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';

const require = createRequire(import.meta.url);
require('reflect-metadata');

export const about =
  'debits a second, coalesced and alone; a long ledger against a short one (aim: at most 1.2 times; ROWS, default 1000000)';

const WALLET = `0x${'ab'.repeat(20)}`;
const SECONDS = 2;
const CALLERS = [1, 16, 64];

const draft = () => ({
  id: `ch_${randomBytes(18).toString('base64url')}`,
  rail: 'wallet',
  operation: 'chat',
  payer: WALLET,
  accountId: `wallet:${WALLET}`,
  modelId: 'bench',
  price: 1n,
  list: 1n,
  discountPercent: 0,
  fingerprint: randomBytes(32),
});

/** Adds entries of many other wallets without the triggers, because only their number matters. */
const lengthen = (url, rows) =>
  onDatabase(url, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, charge_id)
       select 'wallet:0x' || lpad(to_hex(n % 10000), 40, '0'), n / 10000 + 1, 'debit', 1, 1, 'ch_old' || n
       from generate_series(1, $1::int) n`,
      [rows],
    );
    await client.query('vacuum (analyze) ledger_entry'); // Without this, autovacuum would run during the measurement.
  });

/** Finds pgbench in the PATH, or in the folder of Debian's postgresql-client. */
const findPgbench = () => {
  const homes = '/usr/lib/postgresql';
  const all = existsSync(homes)
    ? readdirSync(homes).map((version) => join(homes, version, 'bin', 'pgbench'))
    : [];
  return [...all, 'pgbench'].find((path) => spawnSync(path, ['--version']).status === 0);
};

/**
 * The least work of a durable debit, by the database's own tool: an update of one hot row, and a new row in its ledger.
 */
const pgbench = async (program, url) => {
  await onDatabase(url, (client) =>
    client.query(`
      create table bench_account (id bigint primary key, balance_micro bigint not null check (balance_micro >= 0)) with (fillfactor = 50);
      create table bench_ledger (id bigserial, account_id bigint, delta_micro bigint, balance_micro bigint, created_at timestamptz default now(), primary key (account_id, id));
      insert into bench_account values (1, 9000000000000);`),
  );
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-pgbench-'));
  const script = join(folder, 'debit.sql');
  writeFileSync(
    script,
    `with d as (update bench_account set balance_micro = balance_micro - 7 where id = 1 and balance_micro >= 7
       returning id, balance_micro)
     insert into bench_ledger (account_id, delta_micro, balance_micro) select id, -7, balance_micro from d;`.replace(
      /\s+/g,
      ' ',
    ),
  );
  return {
    measure: (callers) => {
      const args = ['-n', '-M', 'prepared', '-c', callers, '-j', 2, '-T', SECONDS, '-f', script, url];
      const { stdout } = spawnSync(program, args.map(String), { encoding: 'utf8' });
      const [perSecond, p50] = [/^tps = ([\d.]+)/m, /^latency average = ([\d.]+)/m].map((form) =>
        Number(form.exec(stdout)?.[1] ?? 0),
      );
      return { perSecond, p50 };
    },
    stop: () => rmSync(folder, { recursive: true, force: true }),
  };
};

const measure = async (hold, callers) => {
  const until = performance.now() + SECONDS * 1_000;
  const times = [];
  const caller = async () => {
    while (performance.now() < until) {
      const started = performance.now();
      const held = await hold(draft());
      if (!held.ok) throw new Error(`A hold was refused: ${held.reason}.`);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { perSecond: times.length / SECONDS, p50: median(times) };
};

const connect = async (url) => {
  const { migrate } = require('../../dist/src/platform/database/migrations.js');
  const { createDataSource } = require('../../dist/src/platform/database/data-source.js');
  const { Database } = require('../../dist/src/platform/database/database.js');
  const { LedgerRepository } = require('../../dist/src/money/billing/ledger/ledger.repository.js');
  await migrate(url, { queues: false });
  const source = await createDataSource(url).initialize();
  const db = new Database(source, { databaseUrl: url });
  const ledger = new LedgerRepository(db);
  await ledger.topUp(`wallet:${WALLET}`, 9_000_000_000_000n, `bench:${url}`);
  return { ledger, stop: () => db.onApplicationShutdown().then(() => source.destroy()) };
};

export const run = async ({ rounds }) => {
  const rows = Number(process.env.ROWS ?? 1_000_000);
  const postgres = await startPostgres();
  const [shortUrl, longUrl] = [await postgres.database('short'), await postgres.database('long')];
  const [short, long] = [await connect(shortUrl), await connect(longUrl)];
  console.log(`filling one ledger with ${rows} entries, the other with ${rows / 1_000} …`);
  await lengthen(shortUrl, rows / 1_000);
  await lengthen(longUrl, rows);
  const contestants = {
    'alone, 1 caller': [short, (ledger, one) => ledger.holdOne(one), 1],
    'coalesced, 1 caller': [short, (ledger, one) => ledger.hold(one), 1],
    'alone, 16 callers': [short, (ledger, one) => ledger.holdOne(one), 16],
    'coalesced, 16 callers': [short, (ledger, one) => ledger.hold(one), 16],
    'coalesced, 64 callers': [short, (ledger, one) => ledger.hold(one), 64],
    'coalesced, 1 caller, long ledger': [long, (ledger, one) => ledger.hold(one), 1],
  };
  const program = findPgbench();
  if (program === undefined)
    console.log('pgbench is not here (Debian: postgresql-client); its rows are left out.');
  const limit = program && (await pgbench(program, await postgres.database('pgbench')));
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (const callers of limit ? CALLERS : []) results[`pgbench, ${callers} callers`] = [];
  for (let round = 0; round <= rounds; round += 1) {
    for (const callers of limit ? CALLERS : []) {
      const result = limit.measure(callers);
      if (round > 0) results[`pgbench, ${callers} callers`].push(result);
    }
    for (const [name, [side, hold, callers]] of Object.entries(contestants)) {
      const result = await measure((one) => hold(side.ledger, one), callers);
      if (round > 0) results[name].push(result); // The first round is a warm-up.
    }
  }
  for (const [name, found] of Object.entries(results)) {
    const perSecond = Math.round(median(found.map((one) => one.perSecond)));
    console.log(
      `${name.padEnd(36)} ${String(perSecond).padStart(7)} holds/s   p50 ${median(found.map((one) => one.p50)).toFixed(2)} ms`,
    );
  }
  const ratio = median(
    results['coalesced, 1 caller, long ledger'].map(
      (one, at) => one.p50 / results['coalesced, 1 caller'][at].p50,
    ),
  );
  console.log(`long against short, p50: ${ratio.toFixed(2)}`);
  for (const callers of limit ? CALLERS : []) {
    const name = `coalesced, ${callers} caller${callers === 1 ? '' : 's'}`;
    const against = results[`pgbench, ${callers} callers`];
    const times = median(results[name].map((one, at) => one.perSecond / against[at].perSecond));
    console.log(`${name} against pgbench: ${times.toFixed(2)} times`);
  }
  limit?.stop();
  await short.stop();
  await long.stop();
  await postgres.stop();
};
