import 'reflect-metadata';

import { type AdminVendorList, MANY_MAX, type ModelPatchBody } from './faces/admin/admin-models.dto';
import type { AdminModelsService } from './faces/admin/admin-models.service';
import { BadModelsOrder, HELP, type ModelsOrder, modelsOrder } from './faces/admin/models-order';
import { withStoredModels } from './faces/admin/stored-models';
import { AppError } from './kernel/app-error';
import { micro, usdText } from './kernel/money';
import { similarTo } from './kernel/nearest';
import { ifPresent } from './kernel/present';
import { BadCatalog } from './models/catalog/catalog-file';
import type { RouteName } from './models/catalog/choices/model-choice';
import type { AdminModel } from './models/catalog/choices/model-facts.dto';
import { type RateText, shortUsd } from './models/catalog/rates';
import { SalesDayRepository } from './money/billing/charges/sales-day.repository';
import { plainDecimals } from './kernel/plain-decimals';
import { MarginsService } from './money/margins/margins.service';
import { VendorCostRepository } from './money/margins/vendor-cost.repository';
import { BadSettings } from './platform/config/variables';
import { DatabaseStartError } from './platform/database/database-start-error';
import { sqlStateOf } from './platform/database/error-fields';
import { openDatabase } from './platform/database/open-database';
import { SqlState } from './platform/database/sql-state';
import { commandOf } from './platform/config/own-command';
import { settingsOfProcess } from './settings';

/** A price with its steps, as `--input` and `--price` take them: `3.00,6.00@200000`. */
const rateText = (rate: RateText): string =>
  typeof rate === 'string'
    ? shortUsd(rate)
    : [shortUsd(rate.base), ...rate.above.map(({ tokens, usd }) => `${shortUsd(usd)}@${tokens}`)].join(',');

/** All prices of a held price, because an operator agrees to all of them. */
const heldText = ({ rates }: AdminModel['held'][number]): string =>
  Object.values(rates as Readonly<Record<string, RateText>>)
    .map(rateText)
    .join('/');

/** The prices of input and output, or the first price, with a `$` before each. */
const pricesText = (given: AdminModel['price'] = {}): string => {
  const prices = given as Readonly<Record<string, RateText>>;
  const { inputUsdPerMtok: input, outputUsdPerMtok: output } = prices;
  const shown = output === undefined ? Object.values(prices).slice(0, 1) : [input ?? '', output];
  return shown.map((rate) => rateText(rate).replace(/(^|,)(?=\d)/g, '$1$$')).join('/');
};

const heldTexts = (held: AdminModel['held']): string => [...new Set(held.map(heldText))].join(' or ');

const HEAD = ['model', 'vendor', 'for sale', 'cost', 'price', 'unit', 'margin', 'marks', 'why not'];

type AdminRoute = AdminModel['routes'][number];
type Margins = ReadonlyMap<string, bigint>;

const marginText = (margin: bigint): string =>
  margin < 0n ? `-${marginText(-margin)}` : `$${shortUsd(usdText(micro(margin)))}`;

const marksOf = (model: AdminModel): string =>
  [
    model.private ? ['private'] : [],
    model.adultsOnly ? ['adults only'] : [],
    model.isBelowCost ? ['below cost'] : [],
    Object.keys(model.changes).length > 0 ? ['changed'] : [],
    model.agreed.length > 0 ? ['agreed'] : [],
  ]
    .flat()
    .join(', ');

/**
 * The other vendors of a model have rows of their own, because their cost differs. Two rows of one vendor show its names
 * of the model.
 */
const rowsOf =
  (margins: Margins) =>
  (model: AdminModel): string[][] => {
    const { id, vendor, forSale, cost, price, unit, why = '', held, routes } = model;
    const [first, ...others] = routes;
    const sellerOf = (route: AdminRoute): string =>
      routes.some((each) => each !== route && each.provider === route.provider)
        ? `${route.provider} ${route.model}`
        : route.provider;
    return [
      [
        id,
        first?.provider === vendor ? sellerOf(first) : vendor,
        forSale ? 'yes' : 'no',
        pricesText(first?.cost ?? cost),
        pricesText(price),
        unit,
        ifPresent(margins.get(id), marginText) ?? '',
        marksOf(model),
        [
          why,
          held.length === 0 ? '' : `a price is held: ${heldTexts(held)}`,
          first?.raisesPrice === undefined ? '' : noteText(first),
        ]
          .filter((part) => part !== '')
          .join('; '),
      ],
      ...others.map((route) => [
        '',
        sellerOf(route),
        '',
        pricesText(route.cost),
        '',
        '',
        '',
        '',
        noteText(route),
      ]),
    ];
  };

const noteText = ({ isGone, isLeftOut, model, raisesPrice }: AdminRoute): string => {
  if (isLeftOut) return 'left out';
  if (isGone) return `not used: its list has no ${model}`;
  return raisesPrice === undefined ? '' : `raises the price: ${raisesPrice}`;
};

/** A model may have several lines. Its margin is in the first one. */
const rowsOfAll = (models: readonly AdminModel[], margins: Margins): string[][] => {
  const known = new Set<string>();
  return models.flatMap((model) => {
    const rows = rowsOf(known.has(model.id) ? new Map() : margins)(model);
    known.add(model.id);
    return rows;
  });
};

const tableOf = (models: readonly AdminModel[], margins: Margins): string => {
  const rows = [HEAD, ...rowsOfAll(models, margins)];
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
    `Models for sale: ${sold} of ${models.length}. Prices are in USD. Margins are of the last 30 days.`,
    ...(models.some(({ routes }) => routes.some(({ raisesPrice }) => raisesPrice !== undefined))
      ? [DEARER]
      : []),
    ...(models.some(({ held }) => held.length > 0) ? [HELD] : []),
    ...(models.some(({ why = '' }) => why.startsWith('the book ')) ? [UNPRICED] : []),
  ].join('\n');
};

const COMMAND = commandOf('models');

const DEARER = `To leave a vendor out: ${COMMAND} routes NAME --without VENDOR`;
const HELD = `To agree to a held price: ${COMMAND} agree NAME --price with the price as it is shown here.`;

/** The names of the missing models, as far as they are known. */
const namesText = ({ missing, missingModels: names }: AdminVendorList): string =>
  `${names.join(', ')}${missing > names.length ? ` and ${missing - names.length} more` : ''}`;

/** The problems of a vendor's list. A search for other models does not show the names of the missing ones. */
const listTexts = (list: AdminVendorList, text: string): readonly string[] => {
  const isRequested = ['', list.vendor].includes(text.toLowerCase().split('/', 1)[0]!);
  const { vendor, problem, readAt, isOld, models, missing } = list;
  const since = models === 0 ? 'It never listed its models.' : `Its list of ${readAt} stays.`;
  return [
    ...(problem === undefined && !isOld
      ? []
      : [`${vendor}: ${problem ?? 'it does not list its models'}. ${since}`]),
    ...(missing === 0 || !isRequested
      ? []
      : [
          `The newest list of ${vendor} lacks ${namesText(list)}. If they are gone: ${COMMAND} gone ${vendor}`,
        ]),
  ];
};

/** `5/4` is the cost and 25 %. */
const percentOf = (markup: string): string => {
  const [times = 0, over = 1] = markup.split('/').map(Number);
  return `${Math.round((times / over - 1) * 10_000) / 100} %`;
};

const UNPRICED =
  'A newer release may have a price that the book lacks. To sell such a model now, add it with its price to a CATALOG_FILE.';

// A reader such as `head` may close the pipe.
process.stdout.on('error', () => undefined);

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const complain = (text: string): void => {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
};

const TERMINAL = { operator: 'terminal', requestId: '', ip: '' };

type Change = Extract<ModelsOrder, { readonly names: readonly string[] }>;
type ChangeOfOne = Exclude<Change, { readonly kind: 'change' }>;

/** The route that a word such as `anthropic` or `anthropic:claude-opus-5` means. */
const routeNamed = (word: string, { id, routes }: AdminModel): RouteName => {
  const found = routes.filter(({ provider, model }) => word === provider || word === `${provider}:${model}`);
  const [route] = found;
  const names = routes.map(({ provider, model }) => `${provider}:${model}`).join(', ');
  if (route === undefined) throw new BadModelsOrder(`${id} has no route ${word}. It has ${names}.`);
  if (found.length > 1)
    throw new BadModelsOrder(`${id} has several routes at ${word}. Name one of ${names}.`);
  return { provider: route.provider, model: route.model };
};

/** The bodies that change a model as the order says. A model may have several lines in the list, the sold one first. */
const bodiesOf = (order: ChangeOfOne, lines: readonly AdminModel[]): readonly ModelPatchBody[] => {
  if (order.kind === 'routes') {
    const named = (word: string): RouteName => routeNamed(word, lines[0]!);
    const routes = [
      ...order.routes.map(named),
      ...order.without.map((word) => ({ ...named(word), leftOut: true })),
    ];
    return [{ ...order.body, routes: routes.length === 0 ? null : routes }];
  }
  const held = lines
    .flatMap((line) => line.held)
    .filter(({ vendor }) => order.vendor === undefined || vendor === order.vendor);
  const price = plainDecimals(order.price.replaceAll('$', ''));
  const agreed = held.filter((each) => plainDecimals(heldText(each)) === price);
  if (agreed.length === 0)
    complain(
      held.length === 0
        ? `${lines[0]!.id} has no held price.`
        : `${lines[0]!.id} has another held price: ${heldTexts(held)}.`,
    );
  return agreed.map((agree) => ({ ...order.body, agree }));
};

/** A misspelt name changes nothing. A model that is refused does not stop the others. */
const change = async (service: AdminModelsService, order: Change): Promise<AdminModel[]> => {
  const { names } = order;
  const { models } = await service.list();
  const known = models.map(({ id }) => id);
  const unknown = names.filter((name) => !known.includes(name));
  for (const name of unknown) {
    const named = models.find(({ aliases = [] }) => aliases.includes(name));
    const meant = similarTo(name, known);
    if (named !== undefined) complain(`${name} is an alias. Name the model itself: ${named.id}.`);
    else complain(`There is no model ${name}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`);
  }
  if (unknown.length > 0) return [];
  const changed: AdminModel[] = [];
  if (order.kind === 'change') {
    for (let at = 0; at < names.length; at += MANY_MAX) {
      const ids = names.slice(at, at + MANY_MAX);
      const { models: done, problems } = await service.changeMany({ ...order.body, ids }, TERMINAL);
      changed.push(...done);
      for (const { message } of problems) complain(message);
    }
    return changed;
  }
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

/** Agrees that the models that a vendor's list lacks are gone. */
const agreeToLoss = async (service: AdminModelsService, vendor: string, json: boolean): Promise<void> => {
  const before = (await service.list()).lists.find((list) => list.vendor === vendor);
  const list = await service.agreeToList(vendor, TERMINAL);
  if (json) print(JSON.stringify({ lists: [list] }));
  else if (before === undefined || before.missing === 0) complain(`The list of ${vendor} lacks no model.`);
  else print(`No longer for sale at ${vendor}: ${namesText(before)}.`);
};

const run = async (
  service: AdminModelsService,
  order: ModelsOrder,
  marginsOf: () => Promise<Margins>,
): Promise<void> => {
  if (order.kind === 'export') return print(JSON.stringify(await service.exported(), undefined, 2));
  if (order.kind === 'gone') return agreeToLoss(service, order.vendor, order.json);
  if ('names' in order) {
    const models = await change(service, order);
    if (order.json) print(JSON.stringify({ models }));
    else if (models.length > 0) print(tableOf(models, await marginsOf()));
    return;
  }
  const { models: all, ...others } = await service.list();
  const models = all.filter(isWanted(order));
  if (models.length === 0 && order.kind === 'list' && order.text !== '')
    complain(`No model has "${order.text}" in its name. Run ${COMMAND} --help for the commands.`);
  if (order.json) return print(JSON.stringify({ models, ...others }));
  if (models.length === 0) return;
  print(tableOf(models, await marginsOf()));
  print(
    [
      `The usual price of a listed model is its cost and ${percentOf(others.markup)}.`,
      ...others.lists.flatMap((list) => listTexts(list, order.kind === 'list' ? order.text : '')),
    ].join('\n'),
  );
};

/** A model whose names contain the text of the order, or all. */
const isWanted =
  (order: ModelsOrder) =>
  ({ id, name, vendor, aliases = [] }: AdminModel): boolean =>
    order.kind === 'list' &&
    [`${vendor}/${id}`, name, ...aliases].join(' ').toLowerCase().includes(order.text.toLowerCase());

const main = async (): Promise<void> => {
  const order = modelsOrder(process.argv.slice(2));
  if (order.kind === 'help') return print(HELP.replaceAll('lamppost-service models', COMMAND));
  const settings = settingsOfProcess();
  const database = await openDatabase(settings);
  try {
    await withStoredModels({ ...settings, databaseUrl: database.url }, (models, db) => {
      const margins = new MarginsService(new SalesDayRepository(db), new VendorCostRepository(db));
      return run(models, order, () => margins.ofModels(30));
    });
  } finally {
    await database.stop();
  }
};

const NOT_MIGRATED: readonly string[] = [SqlState.undefinedTable, SqlState.undefinedColumn];
const FOR_PEOPLE = [AppError, BadCatalog, BadModelsOrder, BadSettings, DatabaseStartError];

const textOf = (error: unknown): string => {
  if (NOT_MIGRATED.includes(sqlStateOf(error) ?? ''))
    return `The database has no tables of this release yet. Run ${commandOf('migrate')}.`;
  return FOR_PEOPLE.some((kind) => error instanceof kind)
    ? (error as Error).message
    : ((error as Error)?.stack ?? String(error));
};

main().catch((error: unknown) => {
  complain(textOf(error));
  if (error instanceof BadModelsOrder) process.exitCode = 2;
});
