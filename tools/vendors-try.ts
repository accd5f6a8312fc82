// npm run vendors:try [vendor] -- --budget 0.05: makes the cheapest call of each kind (text, picture, film, speech,
// transcript) at each vendor whose key is set. The
// budget is in USD. The command prints request, answer, counts, the vendor's bill and the price here. It never prints a key.
import 'reflect-metadata';

import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

import { Catalog } from '#models/catalog/catalog';
import { makersModelsOf } from '#models/catalog/listed/makers-media';
import { type Micro, micro, parseUsd, usdText } from '#kernel/money';

import { variablesOfProcess } from '../src/settings';
import { tryMedia } from './vendors/media-try';
import { realVendors } from './vendors/real-vendors';
import { tryText } from './vendors/vendor-try';

/** The budget of the flag. Without a flag, the person at the terminal is asked. */
const budgetOf = async (flag: string | undefined): Promise<Micro | undefined> => {
  if (flag !== undefined || !process.stdin.isTTY) return parseUsd(flag ?? '');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('How many USD may these calls cost? ');
  terminal.close();
  return parseUsd(answer.trim());
};

/** Undefined if the command has an option that does not exist, or a budget without a value. */
const wordsOf = () => {
  try {
    return parseArgs({ options: { budget: { type: 'string' } }, allowPositionals: true });
  } catch {
    return undefined;
  }
};

const main = async (): Promise<number> => {
  const words = wordsOf();
  if (words === undefined) {
    process.stderr.write('The only option is --budget: npm run vendors:try [vendor] -- --budget 0.05\n');
    return 2;
  }
  const { values, positionals } = words;
  const { settings, vendors, providers } = realVendors(variablesOfProcess());
  const wanted = vendors.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  if (wanted.length === 0) {
    process.stderr.write(`No key of ${positionals.join(', ') || 'a vendor'} is set.\n`);
    return 2;
  }
  let left = await budgetOf(values.budget);
  if (left === undefined || left <= 0n) {
    process.stderr.write('Name a budget in USD, such as --budget 0.05.\n');
    return 2;
  }
  const catalog = new Catalog(settings);
  catalog.offer(makersModelsOf(settings));
  let hasFailed = false;
  for (const own of wanted) {
    const { name } = own;
    const adapters = { media: providers.media(name), audio: providers.audio(name) };
    const tries = [
      (budget: Micro) => tryText(own, providers.text(name), budget, settings.price.bookMarkup),
      (budget: Micro) => tryMedia(own, catalog, adapters, budget, settings.price),
    ];
    for (const make of tries) {
      const { lines, spent, hasFailed: isFailure } = await make(left);
      for (const line of lines) process.stdout.write(`${line}\n`);
      left = micro(left - spent);
      hasFailed ||= isFailure;
    }
  }
  process.stdout.write(
    left < 0n
      ? `The calls cost $${usdText(micro(0n - left))} more than the budget.\n`
      : `At least $${usdText(left)} of the budget is left.\n`,
  );
  await providers.onApplicationShutdown();
  return hasFailed ? 1 : 0;
};

void main().then((code) => {
  process.exitCode = code;
});
