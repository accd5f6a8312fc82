// npm run vendors:watch: asks the vendors whose keys are set for their lists. It prints the models that are new, gone, or
// dearer than the book of prices. It reads only lists, so it costs nothing. The exit code is 1 if there is any.
import 'reflect-metadata';

import { variablesOfProcess } from '../src/settings';
import { realVendors } from './vendors/real-vendors';
import { listChangesOf } from './vendors/list-changes';

const main = async (): Promise<void> => {
  const { vendors, providers } = realVendors(variablesOfProcess());
  if (vendors.length === 0) process.stdout.write('No key of a vendor is set.\n');
  const changes = (await Promise.all(vendors.map(listChangesOf))).flat();
  for (const { kind, vendor, text } of changes) process.stdout.write(`${kind.padEnd(7)} ${vendor} ${text}\n`);
  await providers.onApplicationShutdown();
  process.exitCode = changes.length === 0 ? 0 : 1;
};

void main();
