import { existsSync } from 'node:fs';

import { BadSettings } from '../src/platform/config/settings';
import { readSettings } from '../src/settings';
import { DatabaseStartError } from '../src/platform/database/database-start-error';
import { migrate } from '../src/platform/database/migrations';
import { openDatabase } from '../src/platform/database/open-database';

/** Brings the database of the settings up to date, without starting the service. */
const main = async (): Promise<void> => {
  if (existsSync('.env')) {
    process.loadEnvFile('.env');
  }
  const settings = readSettings(process.env);
  const database = await openDatabase(settings);
  try {
    const names = await migrate(database.url, { queues: settings.redisUrl === undefined });
    console.log(names.length === 0 ? 'The schema is up to date.' : `Applied ${names.join(', ')}.`);
  } finally {
    await database.stop();
  }
};

main().catch((error: unknown) => {
  const isForPeople = error instanceof DatabaseStartError || error instanceof BadSettings;
  console.error(isForPeople ? error.message : error);
  process.exitCode = 1;
});
