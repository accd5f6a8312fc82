// The transparency log: a paid call with and without sealing, a long log sealed and verified, and the time of a proof.
// ROWS sets the number of entries of the long log; the default is 1000000.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { median } from '../lib/contest.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';

const require = createRequire(import.meta.url);
require('reflect-metadata');

export const about =
  'a hold with and without the index and the sealing (aim: the same), a long log sealed and verified, a proof (aim: below 5 ms)';

const WALLET = `0x${'ab'.repeat(20)}`;
const ROWS = Number(process.env.ROWS ?? 1_000_000);
const OWNERS = 1_000;
const CALLERS = 16;
const PROOFS = 500;
const WARM_UP = 100;
const CREDITED = 1_000_000_000_000;

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

/** The parts of the service that hold, seal and prove, on a separate database. */
const parts = async (url) => {
  const dist = (path) => require(`../../dist/src/${path}.js`);
  const { readSettings } = dist('settings');
  const { ServiceDataSource, serviceOptions } = dist('platform/database/data-source');
  const { Database } = dist('platform/database/database');
  const { SigningKeys } = dist('platform/config/signing-keys');
  const { PublishedKeys } = dist('platform/config/published-keys');
  const { blobStoreOf } = dist('platform/storage/storage.module');
  const { LedgerRepository } = dist('money/billing/ledger/ledger.repository');
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-bench-log-'));
  const settings = readSettings({
    DATABASE_URL: url,
    DATA_DIR: folder,
    SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
  });
  const source = await new ServiceDataSource(serviceOptions(url)).initialize();
  const db = new Database(source, settings);
  const signing = new SigningKeys(settings);
  const keys = new PublishedKeys(signing);
  const repository = new (dist('money/billing/transparency/transparency.repository').TransparencyRepository)(
    db,
  );
  const sealer = new (dist('money/billing/transparency/log-sealer').LogSealer)(repository, signing);
  const heads = new (dist('money/billing/transparency/kept-heads').SignedHeads)(
    blobStoreOf(settings),
    settings,
  );
  const publisher = new (dist('money/billing/transparency/log-publisher').LogPublisher)(
    repository,
    heads,
    keys,
  );
  const proofs = new (dist('money/billing/transparency/log-proofs').LogProofs)(db, repository);
  const { TransparencyProcessor } = dist('money/billing/transparency/transparency.processor');
  const witnesses = { cosign: () => Promise.resolve() };
  const metrics = { sealedAt: () => undefined };
  const processor = new TransparencyProcessor(repository, sealer, publisher, witnesses, metrics);
  return {
    db,
    repository,
    processor,
    proofs,
    ledger: new LedgerRepository(db),
    stop: async () => {
      await source.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const holds = async (ledger, seconds) => {
  const until = performance.now() + seconds * 1_000;
  let done = 0;
  const caller = async () => {
    while (performance.now() < until) {
      const made = draft();
      await ledger.hold(made);
      await ledger.settle({ chargeId: made.id });
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return done / seconds;
};

const paidCalls = async (postgres, migrate, { rounds, seconds }) => {
  const variants = { before: [], 'with its indexes': [], 'while it seals': [] };
  const worlds = {};
  for (const name of Object.keys(variants)) {
    const url = await postgres.database(`paid_${name.replaceAll(' ', '_')}`);
    await migrate(url, { queues: false });
    if (name === 'before')
      await onDatabase(url, async (client) => {
        await client.query('drop index ledger_entry_written');
        await client.query('drop index charge_decided');
        await client.query('alter table ledger_entry alter column written drop default');
      });
    worlds[name] = await parts(url);
    await worlds[name].db.rows(
      `insert into ledger_account (id, balance_micro, last_seq) values ('wallet:${WALLET}', 0, 0)`,
    );
    await onDatabase(url, async (client) => {
      await client.query('set session_replication_role = replica');
      await client.query(
        `update ledger_account set balance_micro = ${CREDITED}, last_seq = 1;
         insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source)
         values ('wallet:${WALLET}', 1, 'top_up', ${CREDITED}, ${CREDITED}, 'bench')`,
      );
    });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, rates] of Object.entries(variants)) {
      const { ledger, processor } = worlds[name];
      const until = performance.now() + (name === 'while it seals' ? seconds * 1_000 : 0);
      const sealing = (async () => {
        while (performance.now() < until) {
          await processor.run();
          await new Promise((resolve) => setTimeout(resolve, 1_000));
        }
      })();
      rates.push(await holds(ledger, seconds));
      await sealing;
    }
  }
  const base = median(variants.before);
  for (const [name, rates] of Object.entries(variants))
    console.log(
      `${name.padEnd(18)} ${median(rates).toFixed(0)} holds and settlements a second, ${(median(rates) / base).toFixed(3)} of before`,
    );
  await sealingOfCalls(worlds['with its indexes']);
  for (const world of Object.values(worlds)) await world.stop();
};

/** The processor time that this process spends on a call, and later on its leaves. */
const sealingOfCalls = async ({ ledger, processor, repository }) => {
  await processor.run();
  const { publishedSize } = await repository.current();
  const spent = async (work) => {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    return { result, micros: user + system };
  };
  const calls = await spent(async () => (await holds(ledger, 4)) * 4);
  const sealing = await spent(() => processor.run());
  const leaves = (await repository.current()).publishedSize - publishedSize;
  const ofCall = (micros) => (micros / calls.result).toFixed(0);
  console.log(
    `processor time of this process: ${ofCall(calls.micros)} µs for the statements of a call, ` +
      `${ofCall(sealing.micros)} µs for its leaves (${leaves} leaves of ${calls.result.toFixed(0)} calls)`,
  );
};

const longLog = async (postgres, migrate) => {
  const url = await postgres.database('long');
  await migrate(url, { queues: false });
  await onDatabase(url, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into ledger_entry (account_id, seq, kind, amount_micro, balance_after_micro, source)
       select 'wallet:0x' || lpad(to_hex(n % ${OWNERS}), 40, '0'), n / ${OWNERS} + 1, 'top_up', 1, n / ${OWNERS} + 1, 'b' || n
       from generate_series(0, $1::int - 1) n`,
      [ROWS],
    );
    await client.query(
      `insert into ledger_account (id, balance_micro, last_seq)
       select account_id, max(seq), max(seq) from ledger_entry group by account_id`,
    );
    await client.query('vacuum (analyze) ledger_entry');
  });
  const world = await parts(url);
  let began = performance.now();
  const used = process.cpuUsage();
  await world.processor.run();
  const sealed = performance.now() - began;
  const { user, system } = process.cpuUsage(used);
  const { publishedSize } = await world.repository.current();
  console.log(
    `${publishedSize} entries sealed in ${(sealed / 1_000).toFixed(1)} s, ` +
      `${((user + system) / publishedSize).toFixed(1)} µs of processor time of this process each`,
  );

  await onDatabase(url, (client) => client.query('vacuum (analyze) transparency_leaf'));
  const {
    rootOf,
    inclusionPaths,
    leafHash,
  } = require('../../dist/src/money/billing/transparency/merkle-tree.js');
  const read = world.repository.readTiles(1);
  const prove = () => inclusionPaths(read, [Math.floor(Math.random() * publishedSize)], publishedSize);
  // The first calls open the connection and compile the code.
  for (let n = 0; n < WARM_UP; n += 1) await prove();
  // An empty query beside each proof shows how much of the time is the machine's.
  const times = { 'a proof': [], 'an empty query': [] };
  const timed = async (name, work) => {
    const start = performance.now();
    await work();
    times[name].push(performance.now() - start);
  };
  let cpu = 0;
  for (let n = 0; n < PROOFS; n += 1) {
    const before = process.cpuUsage();
    await timed('a proof', prove);
    const { user, system } = process.cpuUsage(before);
    cpu += user + system;
    await timed('an empty query', () => world.db.rows('select 1', [], 'bench-empty'));
  }
  for (const [name, all] of Object.entries(times)) {
    all.sort((a, b) => a - b);
    console.log(
      `${name}: median ${median(all).toFixed(2)} ms, 99 % ${all[Math.floor(PROOFS * 0.99)].toFixed(2)} ms`,
    );
  }
  console.log(`processor time of a proof: ${(cpu / PROOFS / 1_000).toFixed(2)} ms`);

  began = performance.now();
  const tree = [];
  const node = (left, right) =>
    createHash('sha256')
      .update(Buffer.from([1]))
      .update(left)
      .update(right)
      .digest();
  for (let from = 0; from < publishedSize; from += 65_536) {
    for (const entry of await world.repository.commitments(1, from, 65_536)) {
      let [height, hash] = [0, leafHash(entry)];
      while (tree.at(-1)?.height === height) {
        hash = node(tree.pop().hash, hash);
        height += 1;
      }
      tree.push({ height, hash });
    }
  }
  const root = tree.map(({ hash }) => hash).reduceRight((right, left) => node(left, right));
  if (!root.equals(await rootOf(read, publishedSize))) throw new Error('The root is another one.');
  console.log(`${publishedSize} entries verified in ${((performance.now() - began) / 1_000).toFixed(1)} s`);

  began = performance.now();
  const page = await world.proofs.statement(
    `0x${'0'.repeat(40)}`,
    { from: new Date(0), to: new Date(Date.now() + 60_000) },
    -1n,
    10_000,
  );
  console.log(
    `a statement of ${page.entries.length} entries in ${(performance.now() - began).toFixed(0)} ms`,
  );
  await world.stop();
};

export const run = async (options) => {
  const postgres = await startPostgres();
  const { migrate } = require('../../dist/src/platform/database/migrations.js');
  try {
    await paidCalls(postgres, migrate, options);
    await longLog(postgres, migrate);
  } finally {
    await postgres.stop();
  }
};
