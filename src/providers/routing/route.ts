import type { Micro } from '../../kernel/money';
import type { ProviderName } from '../provider-name';
import type { SpeechFormat } from '../audio-provider';
import type { Wish } from '../wishes';

/** One way to a model: a provider, and the provider's own name of the model. */
export interface ProviderRoute {
  readonly provider: ProviderName;
  readonly model: string;
  /** Its share of the calls with `weighted`. */
  readonly weight?: number;
  /** Its cost compared with other routes of the model, for `cheapest`. */
  readonly cost?: number;
  /**
   * The provider's own prices, where they differ from the model's. Of a million tokens: `input`, `output`, `cacheRead`,
   * `cacheWrite`. Of a medium: of a unit by tier (`default`, `1080p`, …). Of audio: of its unit, as `default`.
   */
  readonly costs?: ReadonlyMap<string, Micro>;
  /** The wishes that it passes on. Only for media models. */
  readonly takes?: readonly Wish[];
  /** The audio formats that it makes. Only for speech models. */
  readonly formats?: readonly SpeechFormat[];
}

/** `listed` keeps the order of the catalog. `route-order.ts` describes the others. */
export const ROUTINGS = ['listed', 'weighted', 'cheapest', 'fastest'] as const;
export type Routing = (typeof ROUTINGS)[number];

/** A model with the routes that are on. */
export interface RoutedModel {
  readonly routes: readonly ProviderRoute[];
  readonly routing?: Routing;
  readonly retiresOn?: string;
  readonly replacedBy?: string;
}

/** True from the day (UTC) that the catalog names. */
export const isRetired = ({ retiresOn }: RoutedModel, now: number): boolean =>
  retiresOn !== undefined && Date.parse(retiresOn) <= now;

export const keyOf = ({ provider, model }: ProviderRoute): string => `${provider}|${model}`;
