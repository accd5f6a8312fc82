// npm run catalog:check: compares the costs in the catalog with the price lists of the vendors whose keys are set, and
// with the books of prices of text and media for vendors without a list. It reads only price lists, so it costs nothing. The exit code is 1 if a price differs.
import 'reflect-metadata';

import type { Type } from '@nestjs/common';

import { sellerOf } from '#models/catalog/book/seller';
import { Catalog } from '#models/catalog/catalog';
import { checkPrices } from '#models/catalog/vendor-price-check';
import { usdText } from '#kernel/money';
import { Providers } from '#models/providers/providers';
import { vendorOf } from '#models/providers/vendors';
import { readSettings, variablesOfProcess } from '../src/settings';

/** Makes an object without its dependencies, because price lists do not need them. */
const noPart = <T>(type: Type<T>): T => Object.create(type.prototype as object) as T;

const main = async (): Promise<void> => {
  const settings = readSettings({
    DATABASE_URL: 'postgres://127.0.0.1/none',
    SIGNING_SECRET: 'a-secret-that-lives-as-long-as-this-run',
    ALLOW_SANDBOX_MIX: 'true',
    ...variablesOfProcess(),
  });
  const providers = new Providers(
    new Map(settings.providers.map((own) => [own.name, vendorOf(own).adapters(own, noPart)])),
  );
  const sellers = new Map(settings.providers.map((own) => [own.name, sellerOf(own)]));
  const found = await checkPrices(new Catalog(settings), providers, sellers);
  for (const { modelId, provider, providerModel, outcome, differences } of found) {
    const prices = differences.map(
      ({ price, ours, theirs }) => `${price} is $${usdText(ours)} here and $${usdText(theirs)} there`,
    );
    const text = [`${outcome.padEnd(11)} ${modelId} at ${provider} (${providerModel})`, ...prices];
    process.stdout.write(`${text.join(': ')}\n`);
  }
  const silent = new Set(found.filter(({ outcome }) => outcome === 'silent').map(({ provider }) => provider));
  if (silent.size > 0)
    process.stdout.write(`No price list: ${[...silent].join(', ')}. Compare their pages.\n`);
  await providers.onApplicationShutdown();
  process.exitCode = found.some(({ outcome }) => outcome === 'differs') ? 1 : 0;
};

void main();
