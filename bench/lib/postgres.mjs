import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

const require = createRequire(import.meta.url);

/** Starts a separate Postgres with the durable defaults: fsync and synchronous commits are on. */
export const startPostgres = async () => {
  const { startEmbeddedPostgres } = require('../../dist/src/platform/database/embedded-postgres.js');
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-bench-pg-'));
  const server = await startEmbeddedPostgres({ dataDir: folder });
  const at = (name) => server.url.replace(/\/[^/]*$/, `/${name}`);
  return {
    url: server.url,
    /** Creates an empty database. */
    database: async (name) => {
      const client = new pg.Client(server.url);
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return at(name);
    },
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export const onDatabase = async (url, work) => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};
