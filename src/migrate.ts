import 'reflect-metadata';

import { resolve } from 'node:path';

import { databaseSettings } from './platform/database/database.settings';
import { BadSettings } from './platform/config/variables';
import { variablesOfProcess } from './settings';
import { DatabaseStartError } from './platform/database/database-start-error';
import { startErrorFor } from './platform/database/retry-at-start';
import { migrate } from './platform/database/migrations';
import { hasEmbeddedDatabase } from './platform/database/data-directory';
import { hostAndPathOf } from './platform/database/database-url';
import { openDatabase } from './platform/database/open-database';
import { commandOf } from './platform/config/own-command';
import { composeOne } from './platform/config/settings';

const HELP = `Usage: ${commandOf('migrate')}
Brings the schema of DATABASE_DIRECT_URL, DATABASE_URL or the embedded database below DATA_DIR up to date, and ends.
`;

/** Brings the schema of the configured database up to date, without starting the service. */
const main = async (): Promise<void> => {
  const settings = composeOne(databaseSettings, variablesOfProcess());
  const folder = resolve(settings.dataDir);
  if (settings.databaseUrl === undefined && !hasEmbeddedDatabase(folder))
    process.stderr.write(
      `There is no database below ${folder}, so this command makes a new, empty one. If you have one elsewhere, set DATA_DIR to its folder, or DATABASE_URL.\n`,
    );
  const database = await openDatabase(settings);
  const which = database.embedded
    ? `the embedded database below ${folder}`
    : `the database ${hostAndPathOf(database.directUrl)}`;
  try {
    const names = await migrate(database.directUrl, { queues: settings.redisUrl === undefined });
    process.stdout.write(
      names.length === 0
        ? `The schema of ${which} is up to date.\n`
        : `Applied to ${which}: ${names.join(', ')}.\n`,
    );
  } catch (error) {
    throw startErrorFor(settings, error);
  } finally {
    await database.stop();
  }
};

const run = async (): Promise<void> => {
  const [word] = process.argv.slice(2);
  if (word === undefined) return main();
  if (word === '--help') {
    process.stdout.write(HELP);
    return;
  }
  process.stderr.write(`The command migrate has no options, so it does not know "${word}".\n${HELP}`);
  process.exitCode = 2;
};

run().catch((error: unknown) => {
  const isForPeople = error instanceof DatabaseStartError || error instanceof BadSettings;
  const text = isForPeople ? error.message : ((error as Error)?.stack ?? String(error));
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
});
