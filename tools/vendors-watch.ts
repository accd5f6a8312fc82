// npm run vendors:watch: asks the vendors whose keys are set for their lists, and prints the models that are new, gone, or
// dearer than the book of prices. It reads only lists, so it costs nothing. The exit code is 1 if there is any.
import 'reflect-metadata';

import { realVendors } from './vendors/real-vendors';
import { newsOf } from './vendors/vendor-news';

const main = async (): Promise<void> => {
  const { vendors, providers } = realVendors(process.env);
  if (vendors.length === 0) process.stdout.write('No key of a vendor is set.\n');
  const news = (await Promise.all(vendors.map(newsOf))).flat();
  for (const { kind, vendor, text } of news) process.stdout.write(`${kind.padEnd(7)} ${vendor} ${text}\n`);
  await providers.onApplicationShutdown();
  process.exitCode = news.length === 0 ? 0 : 1;
};

void main();
