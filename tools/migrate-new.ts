import 'reflect-metadata';

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { migrationText, stepsToEntities } from './migration-steps';
import { onThrowawayDatabase } from './throwaway-database';

const FOLDER = join(__dirname, '..', 'migrations');

class WrongUse extends Error {}

const main = async (): Promise<void> => {
  const [topic, ...rest] = process.argv.slice(2);
  if (topic === undefined || rest.length > 0 || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(topic)) {
    throw new WrongUse('Name one topic in kebab-case, such as: npm run migrate:new saved-references');
  }
  const timestamp = Date.now();
  const file = join(FOLDER, `${timestamp}-${topic}.ts`);
  if (existsSync(file)) throw new WrongUse(`${file} is there already.`);
  const steps = await onThrowawayDatabase(stepsToEntities);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, migrationText(topic, timestamp, steps));
  console.log(
    steps.up.length === 0
      ? `Wrote ${file}, which is empty: the entities and the schema agree.`
      : `Wrote ${file} with ${steps.up.length} statements to review.`,
  );
};

main().catch((error: unknown) => {
  console.error(error instanceof WrongUse ? error.message : error);
  process.exitCode = 1;
});
