import { readFileSync } from 'node:fs';

import { Inject, Injectable } from '@nestjs/common';

import { type AppError, InvalidRequest } from '#kernel/app-error';
import { type Micro, ceilDiv, micro } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import type { MediaMode } from '#models/providers/media-mode';
import type { ProviderName } from '#models/providers/provider-name';
import { type ProviderRoute, type RoutedModel, isRetired } from '#models/providers/routing/route';
import { providersOn, servedBy } from '#models/providers/vendors';
import type { AudioKind, CatalogFile, RouteEntry } from './catalog-entries';
import { NothingServes, retired } from '#models/providers/routing/unsold-model.errors';
import { BadCatalog, type Served, readCatalogFile } from './catalog-file';
import {
  type AnyModel,
  type AudioModel,
  type MediaModel,
  type TextModel,
  type VendorNames,
  audioModels,
  mediaModels,
  textModels,
  unmadeSizes,
} from './catalog-models';
import { NotSold, OtherWork, type ProductLine, RouteLacksModel, UnknownModel } from './catalog.errors';
import { type PricedCall, requireVendorAt } from './priced-call';
import { linesOf, parsedJson, withLine } from './json-lines';
import defaultCatalog from './default-catalog.json';
import { highestChatPrice } from './chat-price-calculator';
import { idsFromPicture, makersNameIn } from './listed/from-picture';
import { type ModelChoice, type RouteName, isSameRoute, withChoice } from './choices/model-choice';
import type { TextRates } from './rates';
import type { PriceRules, PriceSettings } from './prices.settings';
import { baseOf } from './listed/release-names';
import { type CommonSettings, SETTINGS } from '#platform/config/settings';
import { type CatalogSettings, isAutomatic } from './catalog.settings';

interface Lines {
  readonly media: ReadonlyMap<string, MediaModel>;
  readonly text: ReadonlyMap<string, TextModel>;
  readonly audio: ReadonlyMap<string, AudioModel>;
}

/** The models that vendors add to the catalog. */
export interface VendorOffers {
  readonly text?: readonly TextModel[];
  readonly media?: readonly MediaModel[];
  readonly audio?: readonly AudioModel[];
  readonly names?: VendorNames;
  /** The names of models that are not for sale because of their price, with the names to show. */
  readonly held?: ReadonlyMap<string, string>;
  /** The names that the operator's patterns leave out. */
  readonly leftOut?: ReadonlySet<string>;
  /** The prices at which models under these names were sold. */
  readonly lastRates?: ReadonlyMap<string, TextRates>;
}

/** The models and the providers that an operator switched off, by name. */
export interface SwitchedOff {
  readonly models: ReadonlySet<string>;
  readonly providers: ReadonlySet<ProviderName>;
}

const NO_LINES: Lines = { media: new Map(), text: new Map(), audio: new Map() };

/**
 * The models for sale: all models with an enabled route, indexed once at the start. If an operator switches a model off
 * later, it has no routes and is not listed. It keeps its price, because a repeated paid call must be the same call.
 */
@Injectable()
export class Catalog {
  /** The models of the file. */
  private readonly own: Lines;
  readonly file: CatalogFile;
  /** Whether the file is the operator's. The operator then changes the file instead of its models. */
  readonly isOwnFile: boolean;
  /** The releases that the routes of the file name, by the id of their model, also at vendors that are not enabled. */
  private readonly ownReleases: ReadonlyMap<string, ReadonlySet<string>>;
  private listed: Lines = NO_LINES;
  private names: VendorNames = new Map();
  /** The names of models that are not for sale because of their price, with the names to show. */
  private held: ReadonlyMap<string, string> = new Map();
  /** The names in the lists that no model has, because its price or the operator's patterns keep it from sale. */
  private refused: ReadonlySet<string> = new Set();
  /** The prices at which models under these names were sold. */
  private lastRates: ReadonlyMap<string, TextRates> = new Map();
  private choices: ReadonlyMap<string, ModelChoice> = new Map();
  private sold: Lines;
  private list: SaleList;
  private changes = 0;
  /** The default, or the first model if no provider of the default is enabled. */
  defaultText: TextModel | undefined;
  /** The routes of each model, by its id, without the operator's switches. */
  private routes: ReadonlyMap<string, readonly ProviderRoute[]>;
  private off: SwitchedOff = { models: new Set(), providers: new Set() };
  /** Maps each alias to the id of its model. */
  private aliases: ReadonlyMap<string, string>;
  /** Offered sizes that no enabled route makes. The module logs them for the operator. */
  readonly unmade: readonly string[];

  constructor(@Inject(SETTINGS) settings: CommonSettings & CatalogSettings & PriceSettings) {
    const served = servedBy(settings);
    const file = loadCatalog(settings.catalogFile, served);
    this.file = file;
    this.isOwnFile = settings.catalogFile !== undefined;
    this.ownReleases = new Map(file.text.map(({ id, routes }) => [id, releasesIn(routes)]));
    const on = providersOn(settings);
    const text = textModels(file, on);
    refuseBeyondCap(text, settings.price);
    this.own = linesIn({ media: mediaModels(file, on, served), text, audio: audioModels(file, on, served) });
    this.sold = this.own;
    this.list = listOf(this.own);
    this.routes = routesIn(this.own);
    this.aliases = aliasesIn(this.own);
    this.defaultText = defaultIn(this.own);
    this.make();
    this.unmade = [...this.media.values()].flatMap((model) => unmadeSizes(model, served));
    if (!isAutomatic(settings) && this.unsold.length === 2 && this.audio.size === 0) {
      throw new BadCatalog(['no model has a route whose provider is switched on']);
    }
  }

  /** Every model that these settings can sell. */
  get all(): Lines {
    return this.sold;
  }

  /**
   * Sells these models beside those of the file, which keep their ids. No call goes to a route of a text model of our
   * file whose vendor has a list without it. A list with none of our routes says nothing: a gateway may serve more than
   * it lists. An operator's own file wins over every list. A name that is held back or left out is no alias of our models.
   */
  offer({
    names = new Map(),
    held = new Map(),
    leftOut,
    lastRates = new Map(),
    ...models
  }: VendorOffers): void {
    this.held = held;
    this.lastRates = lastRates;
    this.refused = new Set([...held.keys(), ...(leftOut ?? []), ...lastRates.keys()]);
    this.listed = linesIn(models);
    const routes = this.isOwnFile ? [] : [...this.own.text.values()].flatMap((model) => model.routes);
    this.names = new Map(
      [...names].filter(([vendor, list]) =>
        routes.some(({ provider, model }) => provider === vendor && list.has(model)),
      ),
    );
    this.make();
  }

  /** Whether the vendor's list lacks the model of this route. */
  private lacks({ provider, model }: ProviderRoute): boolean {
    return this.names.get(provider)?.has(model) === false;
  }

  /** Whether no call goes to this route of a model. */
  isGone(model: AnyModel, route: ProviderRoute): boolean {
    return 'rates' in model && model.isListed !== true && this.lacks(route);
  }

  /** Why no vendor has the model, if the lists of all its vendors lack it. */
  whyGone(model: AnyModel): string | undefined {
    const routes = this.routesOf(model.id);
    return routes.length > 0 && this.presentRoutesOf(model).length === 0
      ? routes.map((route) => `the list of ${route.provider} has no ${route.model}`).join(', ')
      : undefined;
  }

  /** The models of the file that none of their vendors has, with the reason. */
  get gone(): readonly string[] {
    return modelsIn(this.sold).flatMap(
      (model) => ifPresent(this.whyGone(model), (why) => [`${model.id} (${why})`]) ?? [],
    );
  }

  private presentRoutesOf(model: AnyModel): readonly ProviderRoute[] {
    return this.routesOf(model.id).filter((route) => !this.isGone(model, route));
  }

  /** The models that are not for sale because of their price. */
  get heldBack(): readonly { readonly id: string; readonly name: string }[] {
    return [...this.held]
      .filter(([id]) => !isOnSale(this.sold, this.idOf(id)))
      .map(([id, name]) => ({ id, name }));
  }

  /** Refuses new work of a model that is not for sale. An id of nothing in the catalog, such as a top-up, is none. */
  requireSale(id: string): void {
    const refusal = this.refusalOf(id);
    if (refusal !== undefined) throw refusal;
  }

  /** Throws if a new call like this is not for sale at this price. */
  requireSaleOf(priced: Pick<PricedCall, 'modelId' | 'refusalAt'>, price: Micro): void {
    this.requireSale(priced.modelId);
    requireVendorAt(priced, price);
  }

  /** The error for a model of the catalog that is not for sale. */
  refusalOf(id: string, kind?: 'not_sold' | 'not_found'): AppError | undefined {
    const model = modelIn(this.sold, id);
    if (model === undefined) return this.refused.has(id) ? new NothingServes(id, kind) : undefined;
    if (isRetired(model, Date.now())) {
      const isSold = isOnSale(this.onSale, model.replacedBy);
      return retired(isSold ? model : { ...model, replacedBy: undefined }, kind);
    }
    return model.routes.length === 0 ? new NothingServes(id, kind) : undefined;
  }

  /** The error for a name in calls: that of its model, or of a release that no vendor has now. */
  refusalOfName(name: string, kind?: 'not_sold' | 'not_found'): AppError | undefined {
    const id = this.idOf(name);
    const model = name === id ? undefined : this.sold.text.get(id);
    return this.refusalOf(id, kind) ?? ifPresent(model, (known) => this.atRelease(known, name, kind).refusal);
  }

  /** The model that a name meant before, as one of its releases or aliases, if no new call may have the name now. */
  formerIdOf(name: string): string | undefined {
    if (this.refusalOf(name) === undefined) return undefined;
    const base = baseOf({ id: name });
    return this.ownByAlias(name)?.id ?? (base === name ? undefined : base);
  }

  private ownByAlias(alias: string): TextModel | undefined {
    return [...this.own.text.values()].find(({ aliases }) => aliases?.includes(alias));
  }

  /** Applies the operator's changes, by the ids of the models. */
  choose(choices: ReadonlyMap<string, ModelChoice>): void {
    // Most services have none, and thousands of models.
    if (choices.size === 0 && this.choices.size === 0) return;
    this.choices = choices;
    this.make();
  }

  /** A model without the operator's changes and switches. */
  usual(id: string): AnyModel | undefined {
    return modelIn(this.own, id) ?? modelIn(this.listed, id);
  }

  /** The rates of a model of a list if an operator also left these routes out. Undefined if no other vendor has it. */
  ratesWithout(id: string, routes: readonly RouteName[]): TextRates | undefined {
    const [known, choice] = [this.listed.text.get(id), this.choices.get(id)];
    const leftOut = routes.map(({ provider, model }) => ({ provider, model, leftOut: true }));
    if (known === undefined) return undefined;
    const changed = withChoice(known, { ...choice, routes: [...(choice?.routes ?? []), ...leftOut] });
    return changed.routes.length === 0 ? undefined : changed.rates;
  }

  /** The routes of a model without the operator's switches. */
  routesOf(id: string): readonly ProviderRoute[] {
    return this.routes.get(id) ?? [];
  }

  /** The names of makers that text models of the file have. */
  get ownAliases(): ReadonlySet<string> {
    return new Set([...this.own.text.values()].flatMap(({ aliases = [] }) => aliases));
  }

  /** Whether the file has a model of this id, so that none of a list is sold under it. */
  isOwn(id: string): boolean {
    return modelIn(this.own, id) !== undefined;
  }

  private make(): void {
    const { media, text, audio } = this.own;
    const more = this.more;
    const taken = this.isOwnFile ? [] : this.refused;
    const names = new Set([...more.text.flatMap(({ id, aliases = [] }) => [id, ...aliases]), ...taken]);
    const own = [...text.values()].map(({ aliases, ...model }): TextModel => ({
      ...model,
      ...ifPresent(aliases, (all) => ({ aliases: all.filter((alias) => !names.has(alias)) })),
    }));
    // Copies, because the switches change the routes of models.
    this.sold = {
      media: this.chosen([...media.values(), ...more.media]),
      text: this.chosen([...own, ...more.text]),
      audio: this.chosen([...audio.values(), ...more.audio]),
    };
    this.aliases = aliasesIn(this.sold);
    this.routes = routesIn(this.sold);
    this.defaultText = defaultIn(this.sold, (model) => this.presentRoutesOf(model).length > 0);
    this.sellWithout(this.off);
  }

  /**
   * The models of vendors under names that no model of the file has. A name means one model: a text under the name of a
   * medium or of sound is not for sale.
   */
  private get more() {
    const without = <Model extends AnyModel>(models: ReadonlyMap<string, Model>): readonly Model[] =>
      [...models.values()].filter(({ id }) => !this.isOwn(id));
    const { media, text, audio } = this.listed;
    return {
      media: without(media),
      text: without(text).filter(({ id }) => !media.has(id) && !audio.has(id)),
      audio: without(audio),
    };
  }

  private chosen<Model extends MediaModel | TextModel | AudioModel>(
    models: readonly Model[],
  ): ReadonlyMap<string, Model> {
    const isChosen = (model: Model): boolean => !this.isOwnFile || model.isListed === true;
    return byId(
      models.map((model) => withChoice(model, isChosen(model) ? this.choiceOf(model.id) : undefined)),
    );
  }

  /**
   * The id of a maker's model, from its id for work from a picture. Undefined if it is a model of its own. An exported file
   * has both ids.
   */
  makersIdOf(id: string): string | undefined {
    const name = makersNameIn(id);
    const [work, whole] = name === undefined ? [] : [this.usual(id), this.usual(name)];
    if (work === undefined || whole === undefined || work.isListed !== whole.isListed) return undefined;
    if (!('costs' in work)) return undefined;
    const isSame = work.routes.some((route) => whole.routes.some((each) => isSameRoute(each, route)));
    return isSame ? name : undefined;
  }

  /** A call with a picture names the maker's model. So its work from a picture has the changes of that model, and its own. */
  private choiceOf(id: string): ModelChoice | undefined {
    const makers = this.choices.get(this.makersIdOf(id) ?? '');
    if (makers === undefined) return this.choices.get(id);
    const { routes: _, ...shared } = makers;
    return { ...shared, ...this.choices.get(id) };
  }

  /** The models for sale now. */
  private get onSale(): Lines {
    if (Date.now() >= this.list.until) this.listAgain();
    return this.list.lines;
  }

  /** Grows whenever the list of models for sale may have changed. */
  get revision(): number {
    if (Date.now() >= this.list.until) this.listAgain();
    return this.changes;
  }

  private listAgain(): void {
    this.list = listOf(this.sold);
    this.changes += 1;
  }

  get media(): ReadonlyMap<string, MediaModel> {
    return this.onSale.media;
  }

  /** The media models for sale, as callers see them: the default of a mode may be that of no file. */
  get shownMedia(): readonly MediaModel[] {
    return [...this.media.values()].map((model) =>
      this.defaultMedia(model.mode)?.id === model.id ? { ...model, default: true } : model,
    );
  }

  /** The models of sound for sale. The default of a kind may be that of no file. */
  get shownAudio(): readonly AudioModel[] {
    return [...this.audio.values()].map((model) =>
      this.audioModel(undefined, model.kind).id === model.id ? { ...model, default: true } : model,
    );
  }

  get text(): ReadonlyMap<string, TextModel> {
    return this.onSale.text;
  }

  get audio(): ReadonlyMap<string, AudioModel> {
    return this.onSale.audio;
  }

  /** The ids of all models that these settings can sell, also of models that an operator switched off. */
  get ids(): readonly string[] {
    return [...this.all.media.keys(), ...this.all.text.keys(), ...this.all.audio.keys()];
  }

  /**
   * The kinds of models that are not for sale, because no model of the kind has an active route. Audio is an extra,
   * which few services sell.
   */
  get unsold(): readonly ProductLine[] {
    return (['text', 'media'] as const).filter((line) => this[line].size === 0);
  }

  /** After this call, new work goes only to enabled routes. Accepted work continues. */
  sellWithout(off: SwitchedOff): void {
    this.off = off;
    const { models, providers } = off;
    for (const model of modelsIn(this.sold) as readonly (AnyModel & Switchable)[]) {
      const routes = this.presentRoutesOf(model);
      const names = [model.id, this.makersIdOf(model.id) ?? model.id];
      const isOff = model.leftOut !== undefined || names.some((name) => models.has(name));
      model.routes = isOff ? [] : routes.filter(({ provider }) => !providers.has(provider));
    }
    this.listAgain();
  }

  /** The id of a model, by its id or an alias. An unknown id stays as it is. */
  idOf(id: string): string {
    return this.aliases.get(id) ?? id;
  }

  /** The model of this id, or the default; `param` names the caller's field. */
  textModel(id: string | undefined, param = 'model'): TextModel {
    const model = id === undefined ? this.defaultText : this.all.text.get(this.idOf(id));
    if (model !== undefined) return id === undefined || id === model.id ? model : this.atRelease(model, id);
    if (id !== undefined && this.refused.has(id)) return this.unsoldModel(id);
    if (id === undefined || this.defaultText === undefined) throw new NotSold('text');
    this.refuseOtherWork(id, param);
    throw new UnknownModel(id, [...this.text.keys()], param, 'invalid_request', this.insteadOf(id));
  }

  /**
   * The model at the vendors that have this release, under their own names of it. If none of them is left, the model has
   * no routes. The newest release of another vendor is then right only for `-latest`. A release that was a model of its own
   * before stays off, and for adults only, if an operator made it so.
   */
  private atRelease(model: TextModel, name: string, kind?: 'not_sold' | 'not_found'): TextModel {
    if (!this.isRelease(model, name)) return model;
    const isOff = this.off.models.has(name);
    const adultsOnly = model.adultsOnly === true || this.choices.get(name)?.adultsOnly === true || undefined;
    const release = { ...model, adultsOnly };
    const routes = (isOff ? [] : model.routes).flatMap(
      (route) => ifPresent(route.releases?.get(name), (own) => [{ ...route, model: own }]) ?? [],
    );
    if (routes.length > 0) return { ...release, routes };
    if (!isOff && name.endsWith('-latest')) return release;
    return { ...release, routes, refusal: new NothingServes(name, kind) };
  }

  /** Whether a vendor of the model has a release of this name, although the vendor may be off or left out. */
  private isRelease({ id, isListed }: TextModel, name: string): boolean {
    return isListed === true
      ? this.listed.text.get(id)?.routes.some(({ releases }) => releases?.has(name)) === true
      : this.ownReleases.get(id)?.has(name) === true;
  }

  /**
   * A model without routes, so that a repeated paid call finds its answer, also one with pictures. `requireSale` refuses a new
   * call. If the name was an alias of a model of the file, its calls had the prices of that model.
   */
  private unsoldModel(id: string): TextModel {
    const rates = this.lastRates.get(id) ?? this.ownByAlias(id)?.rates ?? UNKNOWN_RATES;
    return { id, name: id, isListed: true, vision: true, rates, routes: [] };
  }

  /** Refuses a model of another kind in words that say so. */
  private refuseOtherWork(name: string, param: string): void {
    const id = this.idOf(name);
    const line = (['text', 'media', 'audio'] as const).find((each) => this.all[each].has(id));
    if (line !== undefined) throw new OtherWork(name, line, param);
  }

  /** The default instead of a model of the file that has no route here. A model with a similar name may be dear. */
  insteadOf(id: string): string | undefined {
    const media = this.file.media.find((entry) => entry.id === id);
    if (media !== undefined) return this.defaultMedia(media.mode)?.id;
    return this.file.text.some((entry) => entry.id === id) ? this.defaultText?.id : undefined;
  }

  /** The model of this id, or the default of its kind. */
  audioModel(id: string | undefined, kind: AudioKind): AudioModel {
    const models = [...this.all.audio.values()].filter((model) => model.kind === kind);
    const model = id === undefined ? defaultAmong(models) : models.find((each) => each.id === this.idOf(id));
    if (model !== undefined) return model;
    if (models.length === 0 || id === undefined) throw new NotSold('audio');
    throw new UnknownModel(
      id,
      models.map((each) => each.id),
      'model',
    );
  }

  /** The model that a route works with, whatever its caller sends, or that a call was priced with. */
  routeModel(id: string): MediaModel {
    const model = this.all.media.get(this.idOf(id));
    if (model === undefined) throw new RouteLacksModel(id);
    return model;
  }

  /** The model of this id, or the default of the mode. */
  mediaModel(id: string | undefined, mode: MediaMode, param = 'modelId'): MediaModel {
    if (this.all.media.size === 0) throw new NotSold('media');
    const model = id === undefined ? this.defaultMedia(mode) : this.soldMedia(id, mode);
    if (model !== undefined) return model;
    if (id !== undefined) this.refuseOtherWork(id, param);
    throw id === undefined
      ? new InvalidRequest(`No model for ${mode} is offered here; name one as ${param}.`, { param })
      : new UnknownModel(id, [...this.media.keys()], param, 'invalid_request', this.insteadOf(id));
  }

  /**
   * Makers call a model by one name, whatever it works from. Here its work from a picture has a further id, at the same
   * vendor. An exported file has both ids.
   */
  private soldMedia(id: string, mode: MediaMode): MediaModel | undefined {
    const { media } = this.all;
    const model = media.get(this.idOf(id));
    if (model === undefined || model.mode === mode || (mode !== 'i2i' && mode !== 'i2v')) return model;
    const other = idsFromPicture(model.id).find((each) => this.makersIdOf(each) === model.id);
    return media.get(other ?? '') ?? model;
  }

  /** The default of a mode, or its first model if no provider of the default is enabled. */
  defaultMedia(mode: MediaMode): MediaModel | undefined {
    return defaultAmong([...this.all.media.values()].filter((model) => model.mode === mode));
  }
}

/** The price of a model that was never for sale, if it is sold while a call is priced: $1,000,000 for a million tokens. */
const DEAREST = micro(1_000_000_000_000n);
const UNKNOWN_RATES: TextRates = { input: DEAREST, output: DEAREST, markup: { times: 1n, over: 1n } };

const byId = <Model extends AnyModel>(models: readonly Model[]): ReadonlyMap<string, Model> =>
  new Map(models.map((model) => [model.id, model]));

const linesIn = ({ media = [], text = [], audio = [] }: VendorOffers): Lines => ({
  media: byId(media),
  text: byId(text),
  audio: byId(audio),
});

const modelIn = ({ media, text, audio }: Lines, id: string): AnyModel | undefined =>
  media.get(id) ?? text.get(id) ?? audio.get(id);

/** The cost of a call without options, or of a unit of sound. */
const usualCost = (model: MediaModel | AudioModel): bigint =>
  'unitCost' in model ? model.unitCost : (model.costs.get('default') ?? 0n) * BigInt(model.durations[0] ?? 1);

/** The default, else the first own model, else the cheapest of the vendors that is for sale. */
const defaultAmong = <Model extends MediaModel | AudioModel>(models: readonly Model[]): Model | undefined => {
  const isSold = (model: Model): boolean => model.routes.length > 0 && !isRetired(model, Date.now());
  return (
    models.find((model) => model.default === true) ??
    models.find((model) => model.isListed !== true) ??
    models.filter(isSold).toSorted((a, b) => Number(usualCost(a) - usualCost(b)))[0] ??
    models[0]
  );
};

const modelsIn = ({ media, text, audio }: Lines): readonly AnyModel[] => [
  ...media.values(),
  ...text.values(),
  ...audio.values(),
];

const routesIn = (lines: Lines): ReadonlyMap<string, readonly ProviderRoute[]> =>
  new Map(modelsIn(lines).map(({ id, routes }) => [id, routes]));

/** A model of a list is the default only if the file has none that is sold. */
const defaultIn = (
  { text }: Lines,
  isPresent: (model: TextModel) => boolean = () => true,
): TextModel | undefined => {
  const all = [...text.values()];
  const sold = all.filter((model) => isPresent(model) && !isRetired(model, Date.now()));
  const own = sold.filter((model) => model.isListed !== true);
  return own.find((model) => model.default === true) ?? own[0] ?? sold[0] ?? all[0];
};

/** An id is never the alias of another model. The first model with an alias keeps it. */
const aliasesIn = (lines: Lines): ReadonlyMap<string, string> => {
  const models = modelsIn(lines);
  const ids = new Set(models.map(({ id }) => id));
  const aliases = new Map<string, string>();
  for (const { id, aliases: own = [] } of models) {
    for (const alias of own) if (!ids.has(alias) && !aliases.has(alias)) aliases.set(alias, id);
  }
  return aliases;
};

const isOnSale = (lines: Lines, id = ''): boolean => modelIn(lines, id) !== undefined;

/** `routes` is the only part of a model that changes while the process runs. */
interface Switchable {
  readonly id: string;
  routes: readonly ProviderRoute[];
}

const served = <Model extends Switchable & RoutedModel>(
  models: ReadonlyMap<string, Model>,
): ReadonlyMap<string, Model> =>
  new Map([...models].filter(([, model]) => model.routes.length > 0 && !isRetired(model, Date.now())));

/** The models for sale, until the next one of them retires. */
interface SaleList {
  readonly lines: Lines;
  readonly until: number;
}

const listOf = ({ media, text, audio }: Lines): SaleList => {
  const lines = { media: served(media), text: served(text), audio: served(audio) };
  const listed = [...lines.media.values(), ...lines.text.values(), ...lines.audio.values()];
  return {
    lines,
    until: Math.min(...listed.map(({ retiresOn }) => Date.parse(retiresOn ?? '') || Infinity)),
  };
};

/** The file of the operator, or ours. Each mistake has its line. */
const loadCatalog = (path: string | undefined, served: Served): CatalogFile => {
  if (path === undefined) return readCatalogFile(defaultCatalog, served);
  const [text, json] = loadJson(path);
  try {
    return readCatalogFile(json, served);
  } catch (error) {
    if (!(error instanceof BadCatalog)) throw error;
    const lines = linesOf(text);
    throw new BadCatalog(error.problems.map((problem) => withLine(problem, lines)));
  }
};

const loadJson = (path: string): readonly [text: string, json: unknown] => {
  try {
    // Some editors write a byte order mark.
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    return [text, parsedJson(text)];
  } catch (error) {
    throw new BadCatalog([`CATALOG_FILE can't be read as JSON: ${(error as Error).message}`]);
  }
};

const releasesIn = (routes: readonly RouteEntry[]): ReadonlySet<string> =>
  new Set(routes.flatMap(({ releases = {} }) => Object.keys(releases)));

/** The cap may lower the highest price of an own model by at most 1 %. Otherwise the service could sell below cost unnoticed. */
const refuseBeyondCap = (models: readonly TextModel[], rules: PriceRules): void => {
  const problems = models
    .filter(({ rates }) => rates.markup === undefined)
    .map((model) => ({ model, highest: highestChatPrice(rules, model.rates) }))
    .filter(({ highest }) => highest * 100n > rules.chatCap * 101n)
    .map(
      ({ model, highest }) =>
        `the most expensive call of ${model.id} costs ${highest} micro-USD; PRICE_CHAT_CAP_MICRO must be at least ` +
        `${ceilDiv(highest * 100n, 101n)}`,
    );
  if (problems.length > 0) {
    throw new BadCatalog(problems);
  }
};
