import { ifPresent } from '#kernel/present';
import { isSellableName } from '#models/providers/models/sellable-models';
import type { TokenPrices } from '#models/providers/token-prices';
import { groupBy } from '#kernel/maps';
import type { TextModel } from '../catalog-models';
import { CONTEXT_TOKENS_MAX } from '../token-estimate';
import type { Ratio } from '../prices.settings';
import { type Offering, together } from '../choices/model-choice';
import { type TextRates, pricesIn } from '../rates';
import { type Choice, isShowable, leftOutBy, namesOf } from './listed-names';
import type { OfferedModel } from './offered-model';
import { baseOf, makersIdOf, versionOf, wordsOf } from './release-names';
import type { VendorList } from './vendor-list.entity';

/** A model at one vendor, under the maker's name. */
interface Offer {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The maker's names of its releases. */
  readonly releases: readonly string[];
  readonly model: OfferedModel;
  /** The releases that the vendor has now. */
  readonly present: readonly OfferedModel[];
  readonly prices: TokenPrices;
  readonly provider: string;
}

type Sold = OfferedModel & { readonly rates: NonNullable<OfferedModel['rates']> };

const costOf = ({ input, output }: TokenPrices): bigint => input + output;

const byCost = (a: Offer, b: Offer): number =>
  costOf(a.prices) === costOf(b.prices) ? 0 : costOf(a.prices) < costOf(b.prices) ? -1 : 1;

/** Whether a model is still in the list, and its last day has not passed. */
const isPresent = ({ goneOn, hasRetired }: OfferedModel): boolean =>
  goneOn === undefined && hasRetired !== true;

/** The models that are present. All if none is. */
const present = <Model extends OfferedModel>(models: readonly Model[]): readonly Model[] => {
  const there = models.filter(isPresent);
  return there.length === 0 ? models : there;
};

const presentOf = (offers: readonly Offer[]): readonly Offer[] => {
  const there = new Set(present(offers.map(({ model }) => model)));
  return offers.filter(({ model }) => there.has(model));
};

const offerOf = (provider: string, name: string, model: Sold, releases: readonly Sold[]): Offer => ({
  name,
  aliases: releases.flatMap((release) => [makersIdOf(release), ...(release.aliases ?? [])]),
  releases: releases.map(makersIdOf),
  model,
  present: releases.filter(isPresent),
  prices: pricesIn(model.rates),
  provider,
});

/**
 * The offers of a vendor. Releases of a model with one price are one offer, under the name without a release. A call that
 * names no release goes to the vendor's model of that name if its list has one, else to the newest release. A release with
 * another price is an offer of its own. So is one that is gone, beside others that are not: `alive` has the names without a
 * release that any vendor has now.
 */
const offersOf = (
  provider: string,
  models: readonly Sold[],
  alive: ReadonlySet<string> = new Set(),
): readonly Offer[] =>
  [...groupBy(models, baseOf)].flatMap(([base, all]) => {
    const staying = alive.has(base) ? all.filter(isPresent) : present(all);
    const releases = all.filter((model) => staying.includes(model) || makersIdOf(model) === base);
    const gone = all.filter((model) => !releases.includes(model));
    const ended = gone.map((model) => offerOf(provider, makersIdOf(model), model, [model]));
    const [single, ...others] = releases;
    if (single !== undefined && others.length === 0)
      return [offerOf(provider, base, single, releases), ...ended];
    const priced = [...groupBy(releases, ({ rates }) => JSON.stringify(rates)).values()];
    const newestOf = (all: readonly Sold[]): Sold => {
      const group = present(all);
      return (
        group.find((model) => makersIdOf(model) === base) ??
        group.toSorted((a, b) => (a.id < b.id ? 1 : -1)).find(({ id }) => !id.endsWith('-latest')) ??
        group[0]!
      );
    };
    const newest = present(releases);
    const groups = priced.filter((group) => group.some((model) => newest.includes(model)));
    const [first] = newest.some((model) => makersIdOf(model) === base)
      ? groups.filter((group) => group.some((model) => makersIdOf(model) === base))
      : groups.toSorted((a, b) => (newestOf(a).id < newestOf(b).id ? 1 : -1));
    const sold = priced.flatMap((group) =>
      group === first
        ? [offerOf(provider, base, newestOf(group), group)]
        : group.map((model) => offerOf(provider, makersIdOf(model), model, [model])),
    );
    return [...sold, ...ended];
  });

/** Whether a vendor sells a release of the model as another model, because its price differs. */
type Splits = (provider: string, base: string) => boolean;

const splitsIn = (offers: readonly Offer[]): Splits => {
  const split = new Set(
    offers.flatMap(({ name, model, provider }) =>
      name === baseOf(model) || !isPresent(model) ? [] : [`${provider}/${baseOf(model)}`],
    ),
  );
  return (provider, base) => split.has(`${provider}/${base}`);
};

/**
 * Offers of one name at several vendors are one model if they share a release. An offer of another release only has the
 * name of its release, because its price and its answers are those of another model. An offer without a release is the
 * model that the others have. If these have several releases, it may be any of them and is not sold.
 */
const apart = (name: string, all: readonly Offer[], splits: Splits): readonly Offer[] => {
  const isAnyRelease = ({ provider, releases }: Offer): boolean =>
    releases.every((release) => release === name || release === `${name}-latest`) && !splits(provider, name);
  const exact = presentOf(all.filter((offer) => !isAnyRelease(offer)));
  const holder = exact.find(({ releases }) => releases.includes(name)) ?? exact[0];
  if (holder === undefined) return all;
  const isSame = ({ releases }: Offer): boolean =>
    releases.some((release) => holder.releases.includes(release));
  const isClear = exact.every(isSame);
  return all.flatMap((offer) => {
    if (isSame(offer)) return offer;
    if (isAnyRelease(offer)) return isClear ? offer : [];
    return { ...offer, name: makersIdOf(offer.model) };
  });
};

/** The last day on which any release of the offers is served. Undefined if one has no last day. */
const lastDay = (offers: readonly Offer[]): string | undefined => {
  const releases = offers.flatMap(({ model, present: there }) => (there.length === 0 ? [model] : there));
  const days = releases.map(({ goneOn, retiresOn }) => goneOn ?? retiresOn);
  return days.includes(undefined)
    ? undefined
    : days.flatMap((day) => day ?? []).reduce((a, b) => (a > b ? a : b));
};

/** The names of each release, by the maker's name of it. */
type ReleaseNames = ReadonlyMap<string, readonly string[]>;

const NO_NAMES: ReleaseNames = new Map();

const releaseNamesIn = (offers: readonly Offer[]): ReleaseNames => {
  const present = groupBy(
    offers.flatMap(({ present: there }) => there),
    makersIdOf,
  );
  return new Map([...present].map(([id, all]) => [id, all.flatMap(({ aliases = [] }) => aliases)]));
};

/** The vendor's own names of its releases. The name of a release is never an alias of another one. */
const releasesAt = (there: readonly OfferedModel[], names: ReleaseNames): ReadonlyMap<string, string> =>
  new Map([
    ...there.flatMap((each) =>
      (names.get(makersIdOf(each)) ?? [])
        .filter((alias) => !names.has(alias))
        .map((alias) => [alias, each.id] as const),
    ),
    ...there.map((each) => [makersIdOf(each), each.id] as const),
  ]);

/** The most tokens that any release reads, because a call may name each of them. */
const longestInputOf = (model: OfferedModel, there: readonly OfferedModel[]): number =>
  Math.max(...[model, ...there].map(({ contextTokens = CONTEXT_TOKENS_MAX }) => contextTokens));

const offeringOf = (
  { provider, model, present: there, prices }: Offer,
  markup: Ratio,
  names: ReleaseNames,
): Offering => ({
  rates: { ...prices, markup },
  routes: [
    {
      provider,
      model: model.id,
      prices,
      ...(names.size < 2 ? {} : { releases: releasesAt(there, names) }),
    },
  ],
  contextTokens: model.contextTokens,
  inputTokensMax: longestInputOf(model, there),
  maxOutputTokens: model.maxOutputTokens,
  vision: model.vision || undefined,
  reasoning: model.reasoning || undefined,
  tools: model.tools || undefined,
});

/** Calls go to the cheapest vendor first. The price covers the cost of all. */
const modelOf = (name: string, all: readonly Offer[], markup: Ratio): TextModel => {
  const offers = all.length === 1 ? all : presentOf(all).toSorted(byCost);
  const models = offers.map(({ model }) => model);
  const names =
    offers.every(({ present: there }) => there.length < 2) && offers.length === 1
      ? NO_NAMES
      : releaseNamesIn(offers);
  const [cheapest, ...others] = offers.map((offer) => offeringOf(offer, markup, names)) as [
    Offering,
    ...Offering[],
  ];
  return {
    id: name,
    isListed: true,
    name: models.map((model) => model.name ?? '').find(isShowable) ?? name,
    ...together([cheapest, ...others]),
    ...(others.length === 0 ? {} : { offers: [cheapest, ...others] }),
    aliases: [...new Set(all.flatMap(({ aliases }) => aliases))].filter(
      (alias) => alias !== name && isSellableName(alias),
    ),
    retiresOn: lastDay(offers),
    replacedBy: models.find((model) => model.replacedBy !== undefined)?.replacedBy,
  };
};

/** The id under which the maker's replacement of a model is for sale. */
const soldAs = (name: string | undefined, models: readonly TextModel[]): string | undefined =>
  ifPresent(
    name,
    (wanted) => models.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted))?.id,
  );

/** The name of a retiring release without its day, if it is for sale: the newest release of the same model. */
const newestOf = ({ id, retiresOn }: TextModel, ids: ReadonlySet<string>): string | undefined => {
  const base = baseOf({ id });
  return retiresOn !== undefined && base !== id && ids.has(base) ? base : undefined;
};

/** The highest later version of a retiring model at its vendor, whose name has the same words. */
const laterVersionOf = (
  model: TextModel,
  alike: ReadonlyMap<string, readonly TextModel[]>,
): string | undefined => {
  if (model.retiresOn === undefined) return undefined;
  const vendors = new Set(model.routes.map(({ provider }) => provider));
  const later = (alike.get(wordsOf(model.id)) ?? []).filter(
    (each) =>
      versionOf(each.id) > versionOf(model.id) && each.routes.some(({ provider }) => vendors.has(provider)),
  );
  return later.toSorted((a, b) => (versionOf(a.id) < versionOf(b.id) ? 1 : -1))[0]?.id;
};

const isReplaced = ({ retiresOn, replacedBy }: TextModel): boolean => (retiresOn ?? replacedBy) !== undefined;

const withReplacements = (models: readonly TextModel[]): readonly TextModel[] => {
  const ids = new Set(models.map(({ id }) => id));
  const staying = models.filter(({ retiresOn }) => retiresOn === undefined);
  const alike = groupBy(staying, ({ id }) => wordsOf(id));
  return models.map((model) =>
    isReplaced(model)
      ? {
          ...model,
          replacedBy:
            soldAs(model.replacedBy, models) ?? newestOf(model, ids) ?? laterVersionOf(model, alike),
        }
      : model,
  );
};

/**
 * The models with one vendor, one release and one name, with their vendor. Most are of this kind, and there is nothing to
 * compare them with. The models of thousands of rows are a part of each start.
 */
const plainIn = (
  lists: readonly { readonly vendor: string; readonly models: readonly Sold[] }[],
): ReadonlyMap<Sold, string> => {
  const rows = new Map<string, { readonly vendor: string; readonly model: Sold } | undefined>();
  for (const { vendor, models } of lists)
    for (const model of models) {
      const base = baseOf(model);
      rows.set(base, rows.has(base) ? undefined : { vendor, model });
    }
  const plain = new Map<Sold, string>();
  for (const [base, row] of rows)
    if (row !== undefined && isPresent(row.model) && makersIdOf(row.model) === base)
      plain.set(row.model, row.vendor);
  return plain;
};

/** The models that the lists of vendors add to the catalog. The same name at two vendors is one model with two routes. */
export const modelsOfLists = (
  lists: readonly VendorList[],
  choice: Choice,
  markup: Ratio,
): readonly TextModel[] => {
  const leftOut = leftOutBy(choice);
  const sellable = lists.map(({ vendor, models }) => ({
    vendor,
    models: models.filter(
      (model): model is Sold => model.rates !== undefined && leftOut(vendor, model) === undefined,
    ),
  }));
  const plain = plainIn(sellable);
  const compared = sellable.map(({ vendor, models }) => ({
    vendor,
    models: models.filter((model) => !plain.has(model)),
  }));
  const alive = new Set(compared.flatMap(({ models }) => models.filter(isPresent).map(baseOf)));
  const offers = compared.flatMap(({ vendor, models }) => offersOf(vendor, models, alive));
  const splits = splitsIn(offers);
  // A release that is gone at one vendor, and that another has, is not gone.
  const there = new Set(offers.flatMap(({ present: all }) => all.map(makersIdOf)));
  const kept = offers.filter(
    ({ name, model }) => isPresent(model) || name === baseOf(model) || !there.has(name),
  );
  // An alias that its vendor gives another model now does not lead to one that is gone.
  const current = new Set(
    [...offers.flatMap(({ present: all }) => all), ...plain.keys()].flatMap(({ aliases = [] }) => aliases),
  );
  const clear = kept.map((offer) =>
    offer.present.length > 0
      ? offer
      : { ...offer, aliases: offer.aliases.filter((alias) => !current.has(alias)) },
  );
  const named = [...groupBy(clear, ({ name }) => name)].flatMap(([name, all]) => apart(name, all, splits));
  const single = [...plain].map(([model, vendor]) => [offerOf(vendor, makersIdOf(model), model, [model])]);
  const models = [...single, ...groupBy(named, ({ name }) => name).values()]
    .map((all) => modelOf(all[0]!.name, all, markup))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return models.some(isReplaced) ? withReplacements(models) : models;
};

/**
 * The last prices of models that are not for sale any more, by each of their names. A repeated paid call is priced
 * with them before its answer is found. A name of a model itself has the price of that model, not of one of its releases.
 */
export const lastRatesIn = (
  lists: readonly VendorList[],
  choice: Choice,
  markup: Ratio,
): ReadonlyMap<string, TextRates> => {
  const leftOut = leftOutBy(choice);
  const unsold = lists.flatMap(({ vendor, models }) =>
    models.flatMap((model) => {
      const rates = model.rates ?? model.lastRates;
      if (rates === undefined || (model.rates !== undefined && leftOut(vendor, model) === undefined))
        return [];
      return { model, last: { ...pricesIn(rates), markup } };
    }),
  );
  return new Map([
    ...unsold.flatMap(({ model, last }) => namesOf(model).map((name) => [name, last] as const)),
    ...unsold.flatMap(({ model, last }) =>
      [model.id, makersIdOf(model)].map((name) => [name, last] as const),
    ),
  ]);
};

/** Why a model of a vendor's list is not for sale. Undefined if it is. */
export const whyNotIn = (choice: Choice): ((vendor: string, model: OfferedModel) => string | undefined) => {
  const leftOut = leftOutBy(choice);
  return (vendor, model) =>
    ifPresent(model.goneOn, (day) => `not in its list since ${day}`) ??
    (model.hasRetired === true ? `it retired on ${model.retiresOn}` : undefined) ??
    model.why ??
    ifPresent(leftOut(vendor, model), (setting) => `left out by ${setting}`);
};

export const NAME_TAKEN = 'the catalog has a model of its own under this name';

/**
 * How many models of a vendor are for sale, and the names of the others by reason. A model under the name of an own model
 * of the catalog is not for sale.
 */
export const summaryOf = (
  vendor: string,
  models: readonly OfferedModel[],
  choice: Choice,
  isOwn: (name: string) => boolean = () => false,
): string => {
  const whyNotListed = whyNotIn(choice);
  const sellable = models.filter(
    (model): model is Sold => model.rates !== undefined && whyNotListed(vendor, model) === undefined,
  );
  const taken = new Set(
    offersOf(vendor, sellable).flatMap(({ name, releases }) => (isOwn(name) ? releases : [])),
  );
  const whyNot = (model: OfferedModel): string =>
    whyNotListed(vendor, model) ?? (taken.has(makersIdOf(model)) ? NAME_TAKEN : '');
  const unsold = [...groupBy(models, whyNot)].filter(([why]) => why !== '');
  const reasons = unsold.map(([why, all]) => {
    const names = all.slice(0, 5).map(({ id }) => id);
    return `${names.join(', ')}${all.length > names.length ? ` and ${all.length - names.length} more` : ''} (${why})`;
  });
  const missing = models.filter((model) => model.missing !== undefined).length;
  const lacks = missing === 0 ? '' : `; its list lacks ${missing} of them, which stay for sale for a while`;
  const sold = models.length - unsold.reduce((sum, [, all]) => sum + all.length, 0);
  return `${vendor}: ${sold} of ${models.length} models for sale${lacks}${reasons.length === 0 ? '' : `; not ${reasons.join('; ')}`}`;
};
