import 'reflect-metadata';

import type { AdminModel, ModelPatchBody } from './faces/admin/admin-models.dto';
import { AdminModelsService } from './faces/admin/admin-models.service';
import { AuditEntry } from './faces/admin/audit-entry.entity';
import { AuditRepository } from './faces/admin/audit.repository';
import { BadModelsOrder, HELP, type ModelsOrder, modelsOrder } from './faces/admin/models-order';
import { AppError } from './kernel/app-error';
import { SystemClock } from './kernel/clock';
import { micro, usdText } from './kernel/money';
import { similarTo } from './kernel/nearest';
import { ifPresent } from './kernel/present';
import { Catalog } from './models/catalog/catalog';
import { BadCatalog } from './models/catalog/catalog-file';
import { StoredChoice } from './models/catalog/choices/model-choice.entity';
import { ModelChoiceRepository } from './models/catalog/choices/model-choice.repository';
import { ModelChoices } from './models/catalog/choices/model-choices';
import { ListAgreement, VendorList } from './models/catalog/listed/vendor-list.entity';
import { VendorListRepository } from './models/catalog/listed/vendor-list.repository';
import { VendorLists } from './models/catalog/listed/vendor-lists';
import { OffSwitch } from './models/catalog/off-switch.entity';
import { OffSwitchRepository } from './models/catalog/off-switch.repository';
import { OffSwitches } from './models/catalog/off-switches';
import type { RateText } from './models/catalog/rates';
import { SalesDayRepository } from './money/billing/charges/sales-day.repository';
import { MarginsService } from './money/margins/margins.service';
import { VendorCostRepository } from './money/margins/vendor-cost.repository';
import { ScopeModels } from './people/keys/scope-models';
import { BackgroundWork } from './platform/background/background-work';
import { BadSettings } from './platform/config/variables';
import { ServiceDataSource, serviceOptions } from './platform/database/data-source';
import { Database } from './platform/database/database';
import { DatabaseStartError } from './platform/database/database-start-error';
import { isPooled } from './platform/database/database-url';
import { sqlStateOf } from './platform/database/error-fields';
import { openDatabase } from './platform/database/open-database';
import { SqlState } from './platform/database/sql-state';
import { type Settings, settingsOfProcess } from './settings';

/** The same service as that of the operators' page. It reads what is stored, and asks no vendor. */
const modelsIn = async (
  settings: Settings,
  source: ServiceDataSource,
  db: Database,
): Promise<AdminModelsService> => {
  const catalog = new Catalog(settings);
  const background = new BackgroundWork();
  const stored = new VendorListRepository(
    source.getRepository(VendorList),
    source.getRepository(ListAgreement),
    db,
  );
  const lists = new VendorLists(
    db,
    catalog,
    new ScopeModels(),
    stored,
    new SystemClock(),
    settings,
    background,
  );
  const choices = new ModelChoices(
    db,
    catalog,
    new ModelChoiceRepository(source.getRepository(StoredChoice), db),
    background,
  );
  const switches = new OffSwitches(
    db,
    catalog,
    new OffSwitchRepository(source.getRepository(OffSwitch), db),
    background,
  );
  const audit = new AuditRepository(db, source.getRepository(AuditEntry));
  await Promise.all([lists.read(), choices.read(), switches.read()]);
  return new AdminModelsService(db, catalog, lists, choices, switches, audit, settings);
};

const shortOf = (usd: string): string => usd.replace(/(\.\d\d\d*?)0+$/, '$1');

/** A price with its steps, as `--input` and `--price` take them: `3.00,6.00@200000`. */
const rateText = (rate: RateText): string =>
  typeof rate === 'string'
    ? shortOf(rate)
    : [shortOf(rate.base), ...rate.above.map(({ tokens, usd }) => `${shortOf(usd)}@${tokens}`)].join(',');

/** All prices of a held price, because an operator agrees to all of them. */
const heldText = ({ rates }: AdminModel['held'][number]): string =>
  Object.values(rates as Readonly<Record<string, RateText>>)
    .map(rateText)
    .join('/');

/** The prices of input and output, or the first price. */
const pricesText = (given: AdminModel['price'] = {}): string => {
  const prices = given as Readonly<Record<string, RateText>>;
  const { inputUsdPerMtok: input, outputUsdPerMtok: output } = prices;
  const shown = output === undefined ? Object.values(prices).slice(0, 1) : [input ?? '', output];
  return shown.map(rateText).join('/');
};

const heldTexts = (held: AdminModel['held']): string => [...new Set(held.map(heldText))].join(' or ');

const HEAD = ['model', 'vendor', 'for sale', 'cost', 'price', 'unit', 'margin', 'marks', 'why not'];

type Margins = ReadonlyMap<string, bigint>;

const marginText = (margin: bigint): string =>
  margin < 0n ? `-${marginText(-margin)}` : shortOf(usdText(micro(margin)));

const marksOf = (model: AdminModel): string =>
  [
    model.private ? ['private'] : [],
    model.adultsOnly ? ['adults only'] : [],
    Object.keys(model.changes).length > 0 ? ['changed'] : [],
  ]
    .flat()
    .join(', ');

const rowOf =
  (margins: Margins) =>
  (model: AdminModel): string[] => {
    const { id, vendor, forSale, cost, price, unit, why = '', held } = model;
    const margin = forSale ? margins.get(id) : undefined;
    return [
      id,
      vendor,
      forSale ? 'yes' : 'no',
      pricesText(cost),
      pricesText(price),
      unit,
      ifPresent(margin, marginText) ?? '',
      marksOf(model),
      held.length > 0 ? `${why}${why === '' ? '' : '; '}a price is held: ${heldTexts(held)}` : why,
    ];
  };

const tableOf = (models: readonly AdminModel[], margins: Margins): string => {
  const rows = [HEAD, ...models.map(rowOf(margins))];
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const sold = models.filter(({ forSale }) => forSale).length;
  return [
    ...lines,
    '',
    `${sold} of ${models.length} models are for sale. Prices are in USD. Margins are of the last 30 days.`,
    ...(models.some(({ why = '' }) => why.startsWith('the book ')) ? [UNPRICED] : []),
  ].join('\n');
};

const UNPRICED =
  'A newer release may have a price that the book lacks. To sell such a model now, add it with its price to a CATALOG_FILE.';

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const complain = (text: string): void => {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
};

const TERMINAL = { operator: 'terminal', requestId: '', ip: '' };

type Change = Extract<ModelsOrder, { readonly names: readonly string[] }>;

/** The route that a word such as `anthropic` or `anthropic:claude-opus-5` means. */
const routeNamed = (word: string, { id, routes }: AdminModel): { provider: string; model: string } => {
  const found = routes.filter(({ provider, model }) => word === provider || word === `${provider}:${model}`);
  const [route] = found;
  const names = routes.map(({ provider, model }) => `${provider}:${model}`).join(', ');
  if (route === undefined) throw new BadModelsOrder(`${id} has no route ${word}. It has ${names}.`);
  if (found.length > 1)
    throw new BadModelsOrder(`${id} has several routes at ${word}. Name one of ${names}.`);
  return { provider: route.provider, model: route.model };
};

/** The bodies that change a model as the order says. A model may have several lines in the list, the sold one first. */
const bodiesOf = (order: Change, lines: readonly AdminModel[]): readonly ModelPatchBody[] => {
  if (order.kind === 'change') return [order.body];
  if (order.kind === 'routes') {
    const routes = order.routes.map((word) => routeNamed(word, lines[0]!));
    return [{ ...order.body, routes: routes.length === 0 ? null : routes }];
  }
  const held = lines
    .flatMap((line) => line.held)
    .filter(({ vendor }) => order.vendor === undefined || vendor === order.vendor);
  const agreed = held.filter((each) => heldText(each) === order.price);
  if (agreed.length === 0)
    complain(
      held.length === 0
        ? `${lines[0]!.id} has no held price.`
        : `${lines[0]!.id} has another held price: ${heldTexts(held)}.`,
    );
  return agreed.map((agree) => ({ ...order.body, agree }));
};

/** Changes one model after the other. A misspelt name changes nothing. */
const change = async (service: AdminModelsService, order: Change): Promise<AdminModel[]> => {
  const { names } = order;
  const { models } = await service.list();
  const known = models.map(({ id }) => id);
  const unknown = names.filter((name) => !known.includes(name));
  for (const name of unknown) {
    const meant = similarTo(name, known);
    complain(`There is no model ${name}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`);
  }
  if (unknown.length > 0) return [];
  const changed: AdminModel[] = [];
  for (const name of new Set(names)) {
    const lines = models.filter(({ id }) => id === name);
    try {
      let last: AdminModel | undefined;
      for (const body of bodiesOf(order, lines)) last = await service.change(name, body, TERMINAL);
      if (last !== undefined) changed.push(last);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      complain(error.message);
    }
  }
  return changed;
};

const run = async (
  service: AdminModelsService,
  order: ModelsOrder,
  marginsOf: () => Promise<Margins>,
): Promise<void> => {
  if (order.kind === 'export') return print(JSON.stringify(await service.exported(), undefined, 2));
  const models =
    'names' in order ? await change(service, order) : (await service.list()).models.filter(isWanted(order));
  if (models.length === 0 && order.kind === 'list' && order.text !== '')
    complain(
      `No model has "${order.text}" in its name. Run lamppost-service models --help for the commands.`,
    );
  if (order.json) print(JSON.stringify({ models }));
  else if (models.length > 0) print(tableOf(models, await marginsOf()));
};

/** A model whose name contains the text of the order, or all. */
const isWanted =
  (order: ModelsOrder) =>
  ({ id, name, vendor }: AdminModel): boolean =>
    order.kind === 'list' && `${vendor}/${id} ${name}`.toLowerCase().includes(order.text.toLowerCase());

const main = async (): Promise<void> => {
  const order = modelsOrder(process.argv.slice(2));
  if (order.kind === 'help') return print(HELP);
  const settings = settingsOfProcess();
  const database = await openDatabase(settings);
  const opened = { ...settings, databaseUrl: database.url };
  const source = new ServiceDataSource(serviceOptions(database.url, { isPooled: isPooled(settings) }));
  try {
    await source.initialize();
    const db = new Database(source, opened);
    const margins = new MarginsService(new SalesDayRepository(db), new VendorCostRepository(db));
    await run(await modelsIn(opened, source, db), order, () => margins.ofModels(30));
  } finally {
    if (source.isInitialized) await source.destroy();
    await database.stop();
  }
};

const FOR_PEOPLE = [AppError, BadCatalog, BadModelsOrder, BadSettings, DatabaseStartError];

const textOf = (error: unknown): string => {
  if (sqlStateOf(error) === SqlState.undefinedTable)
    return 'The database has no tables of this release yet. Run lamppost-service migrate.';
  return FOR_PEOPLE.some((kind) => error instanceof kind)
    ? (error as Error).message
    : ((error as Error)?.stack ?? String(error));
};

main().catch((error: unknown) => {
  complain(textOf(error));
  if (error instanceof BadModelsOrder) process.exitCode = 2;
});
