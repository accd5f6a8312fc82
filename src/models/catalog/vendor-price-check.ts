import type { Micro } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import type { Providers } from '#models/providers/providers';
import type { ProviderRoute } from '#models/providers/routing/route';
import { type KindPrices, TOKEN_KINDS, type TokenPrices } from '#models/providers/token-prices';
import { mediaPriceOf } from './book/media-book';
import { type Seller, bookPrice } from './book/price-book';
import type { Catalog } from './catalog';
import type { AnyModel } from './catalog-models';

const ASK_MS_MAX = 20_000;

/** How the catalog's cost of a route compares with its vendor's present price. */
interface PriceFinding {
  readonly modelId: string;
  readonly provider: string;
  readonly providerModel: string;
  /** `silent`: neither the vendor nor the book has prices. `unlisted`: the list has no price for this model. */
  readonly outcome: 'same' | 'differs' | 'unlisted' | 'silent' | 'unreachable';
  readonly differences: readonly { readonly price: string; readonly ours: Micro; readonly theirs: Micro }[];
}

type Prices = ReadonlyMap<string, Micro>;
/** The prices of each model at a vendor, by the vendor's own names. */
type PriceList = ReadonlyMap<string, Prices>;

type Kind = 'media' | 'audio' | 'text';

interface Line {
  readonly modelId: string;
  readonly route: ProviderRoute;
  readonly ours: Prices;
  /** The prices in the book of media. */
  readonly book?: Prices;
}

/** Prices by kind, such as `input`, and by step, such as `input above 272000`. */
const kindsOf = ({ above = [], ...base }: TokenPrices): Prices =>
  new Map(
    [
      { step: '', prices: base as KindPrices },
      ...above.map((at) => ({ ...at, step: ` above ${at.tokens}` })),
    ].flatMap(({ step, prices }) =>
      TOKEN_KINDS.flatMap(
        (kind) => ifPresent(prices[kind], (price) => [[`${kind}${step}`, price] as const]) ?? [],
      ),
    ),
  );

/** A route's cost of each size, and the price in the book. */
const sizesOf = (modelId: string, route: ProviderRoute, usual: Prices, tiers: readonly string[]): Line => {
  const costs = route.costs ?? usual;
  const least = costs.get('default');
  const sizes = tiers.length === 0 ? ['default'] : tiers;
  const pairs = (priceOf: (tier: string) => Micro | undefined): Prices =>
    new Map(sizes.flatMap((tier) => ifPresent(priceOf(tier), (price) => [[tier, price] as const]) ?? []));
  return {
    modelId,
    route,
    ours: new Map([...costs, ...pairs((tier) => costs.get(tier) ?? least)]),
    book: pairs((tier) => mediaPriceOf(route.provider, route.model, { tier })),
  };
};

/** The prices of the others are those of the book itself. */
const withoutBook = <Model extends AnyModel>(models: readonly Model[]): readonly Model[] =>
  models.filter(({ isListed }) => isListed !== true);

const linesOf = ({ all }: Catalog): Readonly<Record<Kind, readonly Line[]>> => ({
  media: withoutBook([...all.media.values()]).flatMap(({ id, costs, routes, resolutions, imageSizes }) =>
    routes.map((route) => sizesOf(id, route, costs, [...resolutions, ...imageSizes])),
  ),
  audio: withoutBook([...all.audio.values()]).flatMap(({ id, unitCost, routes }) =>
    routes.map((route) => sizesOf(id, route, new Map([['default', unitCost]]), [])),
  ),
  text: [...all.text.values()].flatMap(({ id, rates, routes }) =>
    routes.map((route) => ({ modelId: id, route, ours: kindsOf(route.prices ?? rates) })),
  ),
});

/** Undefined if the vendor has no list at all. */
const listOf = async (
  providers: Providers,
  provider: string,
  kind: Kind,
  models: readonly string[],
  seller: Seller | undefined,
): Promise<PriceList | undefined> => {
  const signal = AbortSignal.timeout(ASK_MS_MAX);
  if (kind === 'audio') return undefined;
  if (kind === 'media') {
    const costs = await providers.media(provider)?.unitCosts?.(models, signal);
    return costs && new Map([...costs].map(([model, { cost }]) => [model, new Map([['default', cost]])]));
  }
  const prices = await providers.text(provider)?.prices?.(signal);
  if (prices === undefined || prices.size === 0) return bookOf(seller, models);
  return new Map([...prices].map(([model, each]) => [model, kindsOf(each)]));
};

/** The book's prices of the models that it knows. Undefined if it knows none. */
const bookOf = (seller: Seller | undefined, models: readonly string[]): PriceList | undefined => {
  if (seller === undefined) return undefined;
  const found = models.flatMap((model) => {
    const price = bookPrice(seller, model);
    return 'why' in price ? [] : [[model, kindsOf(price.prices)] as const];
  });
  return found.length === 0 ? undefined : new Map(found);
};

const compared = (
  { modelId, route, ours, book = new Map() }: Line,
  list: PriceList | 'unreachable' | undefined,
): PriceFinding => {
  const found = { modelId, provider: route.provider, providerModel: route.model, differences: [] };
  if (list === 'unreachable') return { ...found, outcome: list };
  const theirs = list?.get(route.model) ?? book;
  if (theirs.size === 0) return { ...found, outcome: list === undefined ? 'silent' : 'unlisted' };
  const differences = [...theirs].flatMap(([price, cost]) => {
    const known = ours.get(price);
    return known === undefined || known === cost ? [] : [{ price, ours: known, theirs: cost }];
  });
  return { ...found, outcome: differences.length > 0 ? 'differs' : 'same', differences };
};

/** Compares the costs of all active routes with the price lists of their vendors, or with the books of prices. */
export const checkPrices = async (
  catalog: Catalog,
  providers: Providers,
  sellers: ReadonlyMap<string, Seller> = new Map(),
): Promise<readonly PriceFinding[]> => {
  const findings: PriceFinding[] = [];
  for (const [kind, lines] of Object.entries(linesOf(catalog)) as [Kind, readonly Line[]][]) {
    for (const provider of new Set(lines.map(({ route }) => route.provider))) {
      const own = lines.filter(({ route }) => route.provider === provider);
      const models = [...new Set(own.map(({ route }) => route.model))];
      const list = await listOf(providers, provider, kind, models, sellers.get(provider)).catch(
        () => 'unreachable' as const,
      );
      findings.push(...own.map((line) => compared(line, list)));
    }
  }
  return findings;
};
