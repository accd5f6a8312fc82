import { type Micro, larger, microToJson, usdText } from '#kernel/money';
import type { AudioModel, MediaModel, TextModel } from './catalog-models';
import { chatMarkup } from './chat-price-calculator';
import type { PriceRules } from './prices.settings';
import { marked, shownRates } from './rates';

/** An image is a whole call, so its price includes the floor. Seconds are summed before the floor applies. */
const unitPrice = ({ unit, markup }: MediaModel, cost: Micro, rules: PriceRules): Micro => {
  const price = marked(cost, markup ?? rules.mediaMarkup);
  return unit === 'image' ? larger(rules.mediaFloor, price) : price;
};

const lifeOf = ({ adultsOnly, aliases, retiresOn, replacedBy }: MediaModel | TextModel | AudioModel) => ({
  adultsOnly: adultsOnly || undefined,
  aliases: aliases?.length === 0 ? undefined : aliases,
  retiresOn,
  replacedBy,
});

/** A media model as callers see it: retail prices, no routes, no costs. */
export const publicMedia = (model: MediaModel, rules: PriceRules, costs = model.costs) => ({
  id: model.id,
  name: model.name,
  mode: model.mode,
  private: model.private || undefined,
  default: model.default || undefined,
  ...lifeOf(model),
  audio: model.audio === true,
  soundAlways: model.soundAlways || undefined,
  capabilities: model.capabilities,
  aspectRatios: model.aspectRatios,
  resolutions: model.resolutions,
  imageSizes: model.imageSizes,
  qualities: model.qualities,
  durations: model.durations,
  pricing: {
    unit: model.unit,
    priceMicro: Object.fromEntries(
      [...costs].map(([tier, cost]) => [tier, microToJson(unitPrice(model, cost, rules))]),
    ),
  },
});

export const inputsOf = ({ vision }: TextModel): readonly string[] => [
  'text',
  ...(vision === true ? ['image'] : []),
];

/** A text model as callers see it: the catalog's rates, and the rates that `/v1/agent/chat` charges. */
export const publicText = (model: TextModel, rules: PriceRules) => ({
  id: model.id,
  name: model.name,
  ...shownRates(model.rates),
  chatInputUsdPerMtok: usdText(marked(model.rates.input, chatMarkup(rules, model.rates))),
  chatOutputUsdPerMtok: usdText(marked(model.rates.output, chatMarkup(rules, model.rates))),
  contextTokens: model.contextTokens,
  maxOutputTokens: model.maxOutputTokens,
  reasoning: model.reasoning || undefined,
  vision: model.vision || undefined,
  inputs: inputsOf(model),
  tools: model.tools || undefined,
  openWeights: model.openWeights || undefined,
  private: model.private || undefined,
  default: model.default || undefined,
  ...lifeOf(model),
});

/** An audio model as callers see it. */
export const publicAudio = (model: AudioModel, rules: PriceRules) => ({
  id: model.id,
  name: model.name,
  kind: model.kind,
  default: model.default || undefined,
  ...lifeOf(model),
  voices: model.kind === 'speech' ? model.voices : undefined,
  formats: model.kind === 'speech' ? model.formats : undefined,
  pricing: {
    unit: model.kind === 'speech' ? 'million_characters' : 'hour',
    priceMicro: microToJson(marked(model.unitCost, model.markup ?? rules.mediaMarkup)),
    leastMicro: microToJson(rules.mediaFloor),
  },
});
