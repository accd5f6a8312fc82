import type { Micro } from '#kernel/money';
import type { ProviderName } from '../provider-name';
import type { SpeechFormat } from '../audio-provider';
import type { TokenPrices } from '../token-prices';
import type { OptionalInput } from '../optional-inputs';

/** One way to a model: a provider, and the provider's own name of the model. */
export interface ProviderRoute {
  readonly provider: ProviderName;
  readonly model: string;
  /** The route's share of the calls, for `weighted`. */
  readonly weight?: number;
  /** The route's cost in comparison with other routes of the model, for `cheapest`. */
  readonly cost?: number;
  /**
   * The provider's own prices, if they differ from the model's. For media: the price of a unit by tier (`default`,
   * `1080p`, …). For audio: the price of a unit, as `default`.
   */
  readonly costs?: ReadonlyMap<string, Micro>;
  /** The same for text. For media: the prices of tokens, if the provider bills a result by its tokens. */
  readonly prices?: TokenPrices;
  /** The provider's own names of the releases of a text model, by the names of the maker, if there are several. */
  readonly releases?: ReadonlyMap<string, string>;
  /** The optional inputs that the route passes on. Only for media models. */
  readonly takes?: readonly OptionalInput[];
  /** The audio formats that the route makes. Only for speech models. */
  readonly formats?: readonly SpeechFormat[];
}

/** `listed` keeps the order of the catalog. `route-order.ts` describes the others. */
export const ROUTINGS = ['listed', 'weighted', 'cheapest', 'fastest'] as const;
export type Routing = (typeof ROUTINGS)[number];

/** A model with its enabled routes. */
export interface RoutedModel {
  readonly id?: string;
  readonly routes: readonly ProviderRoute[];
  readonly routing?: Routing;
  readonly retiresOn?: string;
  readonly replacedBy?: string;
  /** Whether the model comes from the lists of vendors, not from the catalog file. */
  readonly isListed?: boolean;
}

/** True from the day (UTC) that the catalog names. */
export const isRetired = ({ retiresOn }: Pick<RoutedModel, 'retiresOn'>, now: number): boolean =>
  retiresOn !== undefined && Date.parse(retiresOn) <= now;

export const keyOf = ({ provider, model }: ProviderRoute): string => `${provider}|${model}`;
