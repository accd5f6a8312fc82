import 'reflect-metadata';

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createDataSource } from '../src/platform/database/data-source';
import { startEmbeddedPostgres } from '../src/platform/database/embedded-postgres';
import { migrate } from '../src/platform/database/migrations';
import { schemaDifferences } from './schema-differences';

/** Migrates a throw-away database and compares it, so that the check needs nothing but the repository. */
const main = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-drift-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  try {
    const applied = await migrate(server.url, { queues: false });
    const source = await createDataSource(server.url).initialize();
    const found = await schemaDifferences(source);
    await source.destroy();
    found.forEach((difference) => console.error(difference));
    const count = `${source.entityMetadatas.length} entities and ${applied.length} migrations`;
    console.log(found.length === 0 ? `${count} agree.` : `${count} disagree in ${found.length} places.`);
    process.exitCode = found.length === 0 ? 0 : 1;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
