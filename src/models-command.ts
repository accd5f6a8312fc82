import 'reflect-metadata';

import { Catalog } from './models/catalog/catalog';
import { BadCatalog } from './models/catalog/catalog-file';
import { StoredChoice } from './models/catalog/choices/model-choice.entity';
import { type ModelFacts, modelFacts } from './models/catalog/choices/model-facts';
import { modelsOfLists } from './models/catalog/listed/listed-models';
import { ListAgreement, VendorList } from './models/catalog/listed/vendor-list.entity';
import { VendorListRepository } from './models/catalog/listed/vendor-list.repository';
import { choiceIn, storedOf } from './models/catalog/listed/vendor-lists';
import { OffSwitch } from './models/catalog/off-switch.entity';
import type { RateText } from './models/catalog/rates';
import { BadSettings } from './platform/config/variables';
import { ServiceDataSource, serviceOptions } from './platform/database/data-source';
import { Database } from './platform/database/database';
import { DatabaseStartError } from './platform/database/database-start-error';
import { isPooled } from './platform/database/database-url';
import { sqlStateOf } from './platform/database/error-fields';
import { openDatabase } from './platform/database/open-database';
import { SqlState } from './platform/database/sql-state';
import { type Settings, settingsOfProcess } from './settings';

const HELP = `Usage: lamppost-service models [--json] [text]

Lists the models of all vendors with cost and price, and why some are not for sale. It reads the stored lists of the
vendors, so the service must have run. With a text, it lists only models whose names contain it.
`;

/** The facts that the operators' page shows, from the database. */
const factsIn = async (settings: Settings, source: ServiceDataSource): Promise<readonly ModelFacts[]> => {
  const db = new Database(source, settings);
  const repository = new VendorListRepository(
    source.getRepository(VendorList),
    source.getRepository(ListAgreement),
    db,
  );
  const lists = storedOf(settings, await repository.all());
  const off = await source.getRepository(OffSwitch).find();
  const choices = new Map(
    (await source.getRepository(StoredChoice).find()).map(({ modelId, changes }) => [modelId, changes]),
  );
  const patterns = choiceIn(settings);
  const catalog = new Catalog(settings);
  catalog.choose(choices);
  catalog.offer(modelsOfLists(lists, patterns, settings.price.bookMarkup));
  const namesOf = (wanted: string) =>
    new Set(off.filter(({ kind }) => kind === wanted).map(({ name }) => name));
  catalog.sellWithout({ models: namesOf('model'), providers: namesOf('provider') });
  return modelFacts({ catalog, lists, patterns, off, choices, price: settings.price });
};

const baseOf = (rate: RateText | undefined): string => {
  if (rate === undefined) return '';
  const text = typeof rate === 'string' ? rate : rate.base;
  return `${text.replace(/(\.\d\d\d*?)0+$/, '$1')}${typeof rate === 'string' ? '' : '+'}`;
};

/** The prices of input and output, or the first price. A plus sign means that it rises with the input. */
const pricesText = (prices: ModelFacts['price'] = {}): string => {
  const { inputUsdPerMtok: input, outputUsdPerMtok: output } = prices;
  return output === undefined ? baseOf(Object.values(prices)[0]) : `${baseOf(input)}/${baseOf(output)}`;
};

const HEAD = ['model', 'vendor', 'for sale', 'cost', 'price', 'unit', 'why not'];

const rowOf = ({ id, vendor, forSale, cost, price, unit, why = '', held }: ModelFacts): string[] => [
  id,
  vendor,
  forSale ? 'yes' : 'no',
  pricesText(cost),
  pricesText(price),
  unit,
  held.length > 0
    ? `${why}${why === '' ? '' : '; '}a price is held: ${held.map(({ rates }) => pricesText(rates)).join(', ')}`
    : why,
];

const tableOf = (models: readonly ModelFacts[]): string => {
  const rows = [HEAD, ...models.map(rowOf)];
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const sold = models.filter(({ forSale }) => forSale).length;
  return [...lines, '', `${sold} of ${models.length} models are for sale. Prices are in USD.`].join('\n');
};

/** A model of the facts that contains the words of the command, or all. */
const isWanted = (words: readonly string[]): ((facts: ModelFacts) => boolean) => {
  const text = words
    .filter((word) => !word.startsWith('--'))
    .join(' ')
    .toLowerCase();
  return ({ id, name, vendor }) => `${vendor}/${id} ${name}`.toLowerCase().includes(text);
};

const main = async (): Promise<void> => {
  const words = process.argv.slice(2);
  if (words.includes('--help')) {
    process.stdout.write(HELP);
    return;
  }
  const settings = settingsOfProcess();
  const database = await openDatabase(settings);
  const opened = { ...settings, databaseUrl: database.url };
  const source = new ServiceDataSource(serviceOptions(database.url, { isPooled: isPooled(settings) }));
  try {
    await source.initialize();
    const models = (await factsIn(opened, source)).filter(isWanted(words));
    process.stdout.write(`${words.includes('--json') ? JSON.stringify({ models }) : tableOf(models)}\n`);
  } finally {
    if (source.isInitialized) await source.destroy();
    await database.stop();
  }
};

const FOR_PEOPLE = [BadCatalog, BadSettings, DatabaseStartError];

const textOf = (error: unknown): string => {
  if (sqlStateOf(error) === SqlState.undefinedTable)
    return 'The database has no tables of this release yet. Run lamppost-service migrate.';
  return FOR_PEOPLE.some((kind) => error instanceof kind)
    ? (error as Error).message
    : ((error as Error)?.stack ?? String(error));
};

main().catch((error: unknown) => {
  process.stderr.write(`${textOf(error)}\n`);
  process.exitCode = 1;
});
