import 'reflect-metadata';

import { databaseSettings } from './platform/database/database.settings';
import { BadSettings } from './platform/config/variables';
import { variablesOfProcess } from './settings';
import { DatabaseStartError } from './platform/database/database-start-error';
import { startErrorFor } from './platform/database/retry-at-start';
import { migrate } from './platform/database/migrations';
import { openDatabase } from './platform/database/open-database';
import { composeOne } from './platform/config/settings';

/** Brings the schema of the configured database up to date, without starting the service. */
const main = async (): Promise<void> => {
  const settings = composeOne(databaseSettings, variablesOfProcess());
  const database = await openDatabase(settings);
  try {
    const names = await migrate(database.directUrl, { queues: settings.redisUrl === undefined });
    process.stdout.write(
      names.length === 0 ? 'The schema is up to date.\n' : `Applied ${names.join(', ')}.\n`,
    );
  } catch (error) {
    throw startErrorFor(settings, error);
  } finally {
    await database.stop();
  }
};

main().catch((error: unknown) => {
  const isForPeople = error instanceof DatabaseStartError || error instanceof BadSettings;
  const text = isForPeople ? error.message : ((error as Error)?.stack ?? String(error));
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
});
