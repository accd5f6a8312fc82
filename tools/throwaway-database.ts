import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DataSource } from 'typeorm';

import { createDataSource } from '#platform/database/data-source';
import { startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { migrate } from '#platform/database/migrations';

/** Runs `work` on a temporary, migrated database, so the tool needs nothing outside of the repository. */
export const onThrowawayDatabase = async <T>(
  work: (source: DataSource, applied: readonly string[], url: string) => Promise<T>,
): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-drift-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  try {
    const applied = await migrate(server.url, { queues: false });
    const source = await createDataSource(server.url).initialize();
    try {
      return await work(source, applied, server.url);
    } finally {
      await source.destroy();
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
