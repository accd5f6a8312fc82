// Searches a full library and uses it in calls, alone in its database and beside a million references of other owners.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import sharp from 'sharp';

import { fundedKey } from '../lib/caller.mjs';
import { Lamppost } from '../lib/lamppost.mjs';
import { contest, table } from '../lib/contest.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  "search over 100 references, and what useReferences adds to a call, with and without others' rows (aim: at most 1.2 times; ROWS, default 1000000)";

const LIBRARY = 100;
const THINGS = ['car', 'house', 'tree', 'boat', 'lamp', 'bridge', 'fox', 'tower', 'garden', 'clock'];
const COLOURS = ['red', 'blue', 'green', 'yellow', 'purple', 'orange', 'white', 'black', 'pink', 'brown'];
/** The vector of the local embedder: 384 numbers of four bytes. */
const VECTOR_BYTES = 1_536;

const picture = async (number) => {
  const background = COLOURS[number % COLOURS.length];
  const corner = { input: Buffer.from([number, 1, 2]), raw: { width: 1, height: 1, channels: 3 } };
  const image = sharp({ create: { width: 512, height: 512, channels: 3, background } });
  return image
    .composite([{ ...corner, left: 0, top: 0 }])
    .png()
    .toBuffer();
};

const dataUri = (bytes) => `data:image/png;base64,${bytes.toString('base64')}`;

/** Adds references of ten thousand other owners without the trigger, because only their number matters. */
const crowd = (url, rows) =>
  onDatabase(url, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into reference (id, owner, kind, mime, bytes, label, sha256, blob_key, embedder, vector)
       select 'ref_other' || n, 'other' || (n % 10000), 'image', 'image/png', 1, 'a thing of another', int4send(n),
         'references/other' || n, 'local-1', decode(repeat('3d', ${VECTOR_BYTES}), 'hex')
       from generate_series(1, $1::int) n`,
      [rows],
    );
    await client.query('vacuum analyze reference');
  });

/** The number of pages that a search reads in the database. On a busy machine it is more reliable than a time. */
const pagesOfSearch = (url) =>
  onDatabase(url, async (client) => {
    const { rows: owners } = await client.query('select owner from reference_library where assets > 0');
    const { rows } = await client.query(
      `explain (analyze, buffers, format json)
       select id, label, vector from reference where owner = $1 and embedder = 'local-1' and vector is not null`,
      [owners[0].owner],
    );
    const [{ Plan: plan, 'Execution Time': milliseconds }] = rows[0]['QUERY PLAN'];
    return `${plan['Shared Hit Blocks'] + plan['Shared Read Blocks']} pages, ${milliseconds.toFixed(2)} ms, ${plan['Actual Rows']} rows`;
  });

/** Fills a library through the public API. Then only a process without a worker answers. */
const side = async (postgres, name, rows) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lamppost-bench-references-'));
  const env = {
    DATABASE_URL: await postgres.database(name),
    SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
    DATA_DIR: dataDir,
  };
  const filling = await startService(env);
  const key = await fundedKey(filling.url);
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const { references } = new Lamppost({ baseUrl: filling.url, key });
  for (let number = 0; number < LIBRARY; number += 1) {
    const label = `a ${COLOURS[number % 10]} ${THINGS[Math.floor(number / 10)]}`;
    await references.store(await picture(number), { label });
  }
  while (!(await references.list()).every(({ vectorReady }) => vectorReady === 1)) await pause(200);
  await filling.stop();
  if (rows > 0) await crowd(env.DATABASE_URL, rows);
  const server = await startService({ ...env, ROLE: 'api' });
  const stop = async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { server, headers, stop, databaseUrl: env.DATABASE_URL };
};

const search = ({ headers }) => ({
  path: '/v1/agent/references/search?q=a%20red%20car%20in%20the%20rain',
  headers,
});

const generate = ({ headers }, more) => ({
  path: '/v1/agent/generate',
  method: 'POST',
  headers: { ...headers, prefer: 'wait=0' },
  body: JSON.stringify({ prompt: 'a red car in the rain', modelId: 'ember-edit', ...more }),
});

export const run = async (options) => {
  const rows = Number(process.env.ROWS ?? 1_000_000);
  const postgres = await startPostgres();
  const sides = [];
  try {
    console.log(`filling two libraries, one of them beside ${rows} references of others …`);
    const alone = await side(postgres, 'alone', 0);
    sides.push(alone);
    const among = await side(postgres, 'among', rows);
    sides.push(among);
    for (const [name, { databaseUrl }] of Object.entries({ alone, [`among ${rows}`]: among })) {
      console.log(`the statement of a search, ${name}: ${await pagesOfSearch(databaseUrl)}`);
    }
    const own = { image: dataUri(await picture(7)) };
    for (const connections of options.connections) {
      const round = { ...options, connections };
      const searches = [
        { name: 'search, alone', server: alone.server, request: search(alone) },
        { name: `search, among ${rows}`, server: among.server, request: search(among) },
      ];
      console.log(
        table(`GET /v1/agent/references/search, ${connections} connections`, await contest(searches, round)),
      );
      const calls = [
        { name: 'an image of its own', server: alone.server, request: generate(alone, own) },
        {
          name: 'useReferences, alone',
          server: alone.server,
          request: generate(alone, { useReferences: true }),
        },
        {
          name: `useReferences, among ${rows}`,
          server: among.server,
          request: generate(among, { useReferences: true }),
        },
      ];
      const measured = await contest(calls, round);
      console.log(table(`POST /v1/agent/generate, ${connections} connections`, measured));
      const [plain, drawn, crowded] = measured.map(({ p50 }) => p50);
      console.log(
        `useReferences adds at the median: alone ${drawn - plain} ms, among ${rows} ${crowded - plain} ms`,
      );
    }
  } finally {
    for (const { stop } of sides) await stop();
    await postgres.stop();
  }
};
