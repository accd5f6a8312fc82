import { MEDIA_PRICES } from '#models/catalog/book/media-book';
import { bookPrice } from '#models/catalog/book/price-book';
import { sellerOf } from '#models/catalog/book/seller';
import { baseOf } from '#models/catalog/listed/release-names';
import defaultCatalog from '../../src/models/catalog/default-catalog.json';
import { usdText } from '#kernel/money';
import type { PartySettings } from '#platform/config/party';
import type { ListedModel } from '#models/providers/models/listed-model';
import { listedModels } from '#models/providers/models/model-list';
import { TOKEN_KINDS } from '#models/providers/token-prices';
import { vendorOf } from '#models/providers/vendors';

const ASK_MS_MAX = 30_000;

/** A difference between a vendor's list and the book of prices or the default catalog. */
export interface ListChange {
  readonly kind: 'new' | 'gone' | 'dearer' | 'away';
  readonly vendor: string;
  readonly text: string;
}

/** Models that the vendor lists for conversations, and whose price the book does not have. */
const newIn = (own: PartySettings, listed: readonly ListedModel[]): readonly string[] =>
  listed.flatMap(({ id, why, prices }) => {
    if (why !== undefined || prices !== undefined) return [];
    const price = bookPrice(sellerOf(own), id);
    return 'why' in price ? [`${id}: ${price.why}`] : [];
  });

/** Names of models for pictures, films and sound. */
const MEDIA = /image|imagine|imagen|veo|video|sora|dall-e|tts|transcribe|whisper/;

/** Models for media that the vendor lists, and whose price the book does not have. */
const newMediaIn = (own: PartySettings, listed: readonly ListedModel[]): readonly string[] => {
  const known = new Set(MEDIA_PRICES.flatMap(({ vendor, model }) => (vendor === own.name ? [model] : [])));
  const isMaker = MEDIA_PRICES.some(({ vendor }) => vendor === own.name);
  return listed.flatMap(({ id, why }) =>
    isMaker && why !== undefined && MEDIA.test(id) && !known.has(id)
      ? [`${id}: the book of media has no price`]
      : [],
  );
};

/** Models of the book of media that the service sells, and that the vendor no longer lists. */
const goneMediaIn = (own: PartySettings, listed: readonly ListedModel[]): readonly string[] => {
  const names = new Set(listed.map(({ id }) => id));
  return MEDIA_PRICES.flatMap(({ vendor, model, makes }) =>
    vendor === own.name && makes !== undefined && !names.has(model)
      ? [`${model}, a model of the book of media`]
      : [],
  );
};

/** Routes of the default catalog whose model the vendor no longer lists. */
const goneIn = (own: PartySettings, listed: readonly ListedModel[]): readonly string[] => {
  const names = new Set(
    listed.flatMap(({ prices: _, ...model }) => [model.id, ...(model.aliases ?? []), baseOf(model)]),
  );
  return defaultCatalog.text.flatMap(({ id, routes }) =>
    routes
      .filter(({ provider, model }) => provider === own.name && !names.has(model))
      .map(({ model }) => `${model}, a route of ${id}`),
  );
};

/** Models whose price in the vendor's list is above that of the book. */
const dearerIn = (own: PartySettings, listed: readonly ListedModel[]): readonly string[] =>
  listed.flatMap(({ id, makersId = id, prices }) => {
    if (prices === undefined) return [];
    const [sold, made] = [bookPrice(sellerOf(own), id), bookPrice({}, makersId)];
    const book = 'prices' in sold ? sold.prices : 'prices' in made ? made.prices : undefined;
    return TOKEN_KINDS.flatMap((kind) => {
      const [theirs, known] = [prices[kind], book?.[kind]];
      return theirs === undefined || known === undefined || theirs <= known
        ? []
        : [`${id}: ${kind} is $${usdText(theirs)} there and $${usdText(known)} in the book`];
    });
  });

/** Asks a vendor for its list. A vendor without a list has none. */
export const listChangesOf = async (own: PartySettings): Promise<readonly ListChange[]> => {
  const list = vendorOf(own).models?.(own);
  if (list === undefined) return [];
  const vendor = own.name;
  try {
    const listed = await listedModels(list, AbortSignal.timeout(ASK_MS_MAX));
    const of = (kind: ListChange['kind'], texts: readonly string[]) =>
      texts.map((text) => ({ kind, vendor, text }));
    return [
      ...of('new', [...newIn(own, listed), ...newMediaIn(own, listed)]),
      ...of('gone', [...goneIn(own, listed), ...goneMediaIn(own, listed)]),
      ...of('dearer', dearerIn(own, listed)),
    ];
  } catch (error) {
    return [{ kind: 'away', vendor, text: (error as Error).message }];
  }
};
