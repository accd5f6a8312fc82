import { Inject, Injectable } from '@nestjs/common';

import { type Micro, larger, micro, smaller } from '#kernel/money';
import { InvalidRequest } from '#kernel/app-error';
import type { MediaModel } from './catalog-models';
import { NotOffered, AbovePriceCap } from './catalog.errors';
import { LiveCosts } from './live-costs';
import type { PricedCall } from './priced-call';
import type { PriceRules, PriceSettings, Ratio } from './prices.settings';
import { marked } from './rates';
import { SETTINGS } from '#platform/config/settings';

/** The values of a media call that its price and shape depend on. */
export interface RequestedMedia {
  readonly duration?: number;
  readonly resolution?: string;
  readonly imageSize?: string;
  readonly quality?: string;
  readonly aspectRatio?: string;
  readonly audio?: boolean;
  /** The number of results. */
  readonly n?: number;
}

/** The requested values, checked against the model, with its defaults. */
export interface MediaOptions {
  readonly seconds?: number;
  readonly resolution?: string;
  readonly imageSize?: string;
  readonly quality?: string;
  readonly aspectRatio?: string;
  /** The ratio at vendors that can't keep the shape of the picture. */
  readonly usualRatio?: string;
  readonly audio: boolean;
  /** The number of results, if there are several. */
  readonly n?: number;
}

const offered = <T extends string>(
  field: string,
  model: MediaModel,
  values: readonly T[],
  requested?: T,
  instead?: T,
): T | undefined => {
  if (requested === undefined) {
    return values[0];
  }
  if (!values.includes(requested)) {
    throw new NotOffered(field, model.id, values, requested, instead);
  }
  return requested;
};

const secondsOf = (model: MediaModel, requested: number | undefined): number | undefined => {
  if (model.durations.length === 0) {
    if (requested !== undefined) throw new NotOffered('duration', model.id, []);
    return undefined;
  }
  if (requested === undefined) {
    return model.durations[0];
  }
  if (!model.durations.includes(requested)) {
    throw new NotOffered('duration', model.id, model.durations, requested);
  }
  return requested;
};

/** A model that is sold by size uses the size of the requested ratio instead of its first size. */
const sizeOfRatio = (model: MediaModel, { aspectRatio }: RequestedMedia): string | undefined => {
  const [across, down] = (aspectRatio ?? '').split(':').map(Number);
  return model.imageSizes.find((size) => {
    const [width, height] = size.split('x').map(Number);
    return across !== undefined && down !== undefined && (width ?? 0) * down === (height ?? 0) * across;
  });
};

/** Work from a picture keeps its shape, unless the call names another one. */
const ratioOf = (
  model: MediaModel,
  { aspectRatio: requested }: RequestedMedia,
): Pick<MediaOptions, 'aspectRatio' | 'usualRatio'> => {
  const ratio = offered('aspectRatio', model, model.aspectRatios, requested);
  const isKept = (model.mode === 'i2i' || model.mode === 'i2v') && requested === undefined;
  return isKept ? { usualRatio: ratio } : { aspectRatio: ratio };
};

const countOf = ({ id, capabilities }: MediaModel, requested = 1): number | undefined => {
  const most = capabilities.n ?? 1;
  if (requested > most) {
    throw new NotOffered(
      'n',
      id,
      most === 1 ? [] : Array.from({ length: most }, (_, at) => at + 1),
      requested,
    );
  }
  return requested === 1 ? undefined : requested;
};

/** Checks the requested values against the model. For an unknown value the caller gets 400 with the known values. */
export const optionsOf = (model: MediaModel, requested: RequestedMedia): MediaOptions => {
  if (requested.audio === true && model.audio !== true) {
    throw new NotOffered('audio', model.id, []);
  }
  if (requested.audio === false && model.soundAlways === true)
    throw new InvalidRequest(`The films of ${model.id} always have sound; leave audio out.`, {
      param: 'audio',
      remedies: [{ param: 'audio' }],
    });
  return {
    seconds: secondsOf(model, requested.duration),
    resolution: offered('resolution', model, model.resolutions, requested.resolution),
    imageSize: offered(
      'imageSize',
      model,
      model.imageSizes,
      requested.imageSize ?? sizeOfRatio(model, requested),
    ),
    quality: offered('quality', model, model.qualities ?? [], requested.quality, model.qualities?.[0]),
    ...ratioOf(model, requested),
    audio: model.audio === true && requested.audio !== false,
    n: countOf(model, requested.n),
  };
};

/** The cost of all results of a call. */
export const costOf = (costs: MediaModel['costs'], options: MediaOptions): Micro =>
  timesCount(costOfOne(costs, options), options);

const timesCount = (amount: Micro, { n = 1 }: MediaOptions): Micro => micro(amount * BigInt(n));

/** The cost of one result: that of an image in its tier, or that of a second in its tier times the seconds. */
const costOfOne = (costs: MediaModel['costs'], options: MediaOptions): Micro => {
  const { quality, resolution, imageSize, seconds = 1 } = options;
  const sizes = [resolution, imageSize].filter((size) => size !== undefined);
  const better = quality === undefined ? [] : [...sizes.map((size) => `${quality} ${size}`), quality];
  const tier = [...better, ...sizes].find((each) => costs.has(each)) ?? 'default';
  const unit = costs.get(tier) ?? micro(0n);
  return micro(unit * BigInt(seconds));
};

/** The cost of all results at the dearest route whose prices are known. */
const dearestOf = ({ routes }: MediaModel, options: MediaOptions): Micro =>
  routes
    .flatMap(({ costs }) => (costs === undefined ? [] : costOf(costs, options)))
    .reduce(larger, micro(0n));

/**
 * The list price of a result, from its cost. Undefined if the price exceeds the cap: such a result is not for sale. The
 * cap does not bind models with a markup of their own.
 */
export const mediaPrice = (rules: PriceRules, cost: Micro, own?: Ratio): Micro | undefined => {
  const price = larger(rules.mediaFloor, marked(cost, own ?? rules.mediaMarkup));
  return own === undefined && price > rules.mediaCap ? undefined : price;
};

/** The price of the largest call to a model. */
export const highestMediaPrice = (
  rules: PriceRules,
  { costs, markup, durations, capabilities }: MediaModel,
): Micro => {
  const seconds = Math.max(1, ...durations);
  const one = [...costs.values()].reduce(larger, micro(0n));
  const price = larger(rules.mediaFloor, marked(micro(one * BigInt(seconds)), markup ?? rules.mediaMarkup));
  return micro(price * BigInt(capabilities.n ?? 1));
};

/** Prices media calls, for quotes and for billing alike. */
@Injectable()
export class MediaPriceCalculator {
  private readonly rules: PriceRules;

  constructor(
    @Inject(SETTINGS) settings: PriceSettings,
    private readonly liveCosts: LiveCosts,
  ) {
    this.rules = settings.price;
  }

  price(model: MediaModel, options: MediaOptions): PricedCall {
    const { costs, live } = this.liveCosts.of(model);
    const one = mediaPrice(this.rules, costOfOne(costs, options), model.markup);
    if (one === undefined) {
      throw new AbovePriceCap(model.durations.length > 0 ? 'duration' : 'resolution');
    }
    const list = timesCount(one, options);
    if (model.markup === undefined && list > this.rules.mediaCap) throw new AbovePriceCap('n');
    // The line has both tiers, although most models have one. Otherwise a lock for a cheap size would be valid for a
    // expensive size.
    const quality = options.quality === undefined ? '' : `|${options.quality}`;
    const tier = `${options.resolution ?? '-'}|${options.imageSize ?? '-'}${quality}`;
    const input = `${model.mode}|${options.seconds ?? 1}|${tier}|${options.audio ? 'audio' : 'silent'}`;
    const cost = costOf(costs, options);
    // A discount never takes the price below the cost. The usual markup is more than any discount.
    const least = larger(dearestOf(model, options), model.markup === undefined ? micro(0n) : cost);
    const results = options.n === undefined ? '' : `|${options.n} results`;
    return {
      modelId: model.id,
      isListed: model.isListed,
      adultsOnly: model.adultsOnly,
      mode: model.mode,
      input: `${input}${results}`,
      list,
      floor: larger(timesCount(this.rules.mediaFloor, options), smaller(list, least)),
      cost,
      live,
    };
  }
}
