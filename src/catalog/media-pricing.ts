import { Inject, Injectable } from '@nestjs/common';

import { type Micro, ceilDiv, larger, micro } from '../kernel/money';
import { type PriceRules, SETTINGS, type Settings } from '../platform/config/settings';
import type { MediaModel } from './catalog';
import { NotOffered, TooDear } from './catalog.errors';
import { LiveCosts } from './live-costs';
import type { PricedCall } from './priced-call';

/** The values of a media call that its price and shape depend on. */
export interface RequestedMedia {
  readonly duration?: number;
  readonly resolution?: string;
  readonly imageSize?: string;
  readonly aspectRatio?: string;
  readonly audio?: boolean;
}

/** The requested values, checked against the model, with its defaults. */
export interface MediaOptions {
  readonly seconds?: number;
  readonly resolution?: string;
  readonly imageSize?: string;
  readonly aspectRatio?: string;
  readonly audio: boolean;
}

const offered = <T extends string>(
  field: string,
  model: MediaModel,
  values: readonly T[],
  wish?: T,
): T | undefined => {
  if (wish === undefined) {
    return values[0];
  }
  if (!values.includes(wish)) {
    throw new NotOffered(field, model.id, values, wish);
  }
  return wish;
};

const secondsOf = (model: MediaModel, wish: number | undefined): number | undefined => {
  if (model.durations.length === 0) {
    if (wish !== undefined) throw new NotOffered('duration', model.id, []);
    return undefined;
  }
  if (wish === undefined) {
    return model.durations[0];
  }
  if (!model.durations.includes(wish)) {
    throw new NotOffered('duration', model.id, model.durations, wish);
  }
  return wish;
};

/** A model that is sold by size uses the size of the requested ratio, not its first one. */
const sizeOfRatio = (model: MediaModel, { aspectRatio }: RequestedMedia): string | undefined => {
  const [across, down] = (aspectRatio ?? '').split(':').map(Number);
  return model.imageSizes.find((size) => {
    const [width, height] = size.split('x').map(Number);
    return across !== undefined && down !== undefined && (width ?? 0) * down === (height ?? 0) * across;
  });
};

/** Checks the requested values against the model; an unknown value is a 400 that lists the known ones. */
export const optionsOf = (model: MediaModel, wishes: RequestedMedia): MediaOptions => {
  if (wishes.audio === true && model.audio !== true) {
    throw new NotOffered('audio', model.id, []);
  }
  return {
    seconds: secondsOf(model, wishes.duration),
    resolution: offered('resolution', model, model.resolutions, wishes.resolution),
    imageSize: offered('imageSize', model, model.imageSizes, wishes.imageSize ?? sizeOfRatio(model, wishes)),
    aspectRatio: offered('aspectRatio', model, model.aspectRatios, wishes.aspectRatio),
    audio: model.audio === true && wishes.audio !== false,
  };
};

/** The tier's cost per image, or per second times the seconds. */
export const costOf = (costs: MediaModel['costs'], options: MediaOptions): Micro => {
  const byTier = (tier: string | undefined): Micro | undefined =>
    tier === undefined ? undefined : costs.get(tier);
  const unit = byTier(options.resolution) ?? byTier(options.imageSize) ?? costs.get('default') ?? micro(0n);
  return micro(unit * BigInt(options.seconds ?? 1));
};

/** The list price of a media call from its cost; undefined if it would exceed the cap, so that it is not for sale. */
export const mediaPrice = (rules: PriceRules, cost: Micro): Micro | undefined => {
  const { times, over } = rules.mediaMarkup;
  const price = larger(rules.mediaFloor, micro(ceilDiv(cost * times, over)));
  return price > rules.mediaCap ? undefined : price;
};

/** Prices media calls, for quotes and for billing alike. */
@Injectable()
export class MediaPricing {
  private readonly rules: PriceRules;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly liveCosts: LiveCosts,
  ) {
    this.rules = settings.price;
  }

  price(model: MediaModel, options: MediaOptions): PricedCall {
    const { costs, live } = this.liveCosts.of(model);
    const cost = costOf(costs, options);
    const list = mediaPrice(this.rules, cost);
    if (list === undefined) {
      throw new TooDear(model.durations.length > 0 ? 'duration' : 'resolution');
    }
    // Both tiers, although most models have one: a lock for the cheap size must not be valid for the dear one.
    const tier = `${options.resolution ?? '-'}|${options.imageSize ?? '-'}`;
    const input = `${model.mode}|${options.seconds ?? 1}|${tier}|${options.audio ? 'audio' : 'silent'}`;
    return {
      modelId: model.id,
      mode: model.mode,
      input,
      list,
      floor: this.rules.mediaFloor,
      cost,
      live,
    };
  }
}
