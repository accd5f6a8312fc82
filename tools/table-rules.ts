import 'reflect-metadata';

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { tableRules } from './table-rules-text';
import { onThrowawayDatabase } from './throwaway-database';

const PAGE = join(__dirname, '..', 'docs', 'table-rules.md');

/** Writes docs/table-rules.md from a migrated database. The formatter then aligns the tables of the page. */
const main = (): Promise<void> =>
  onThrowawayDatabase(async (source) => {
    writeFileSync(PAGE, await tableRules((statement) => source.query(statement)));
  });

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
