import type { ChoiceChanges } from '#models/catalog/choices/model-choice.repository';
import { type RateTexts, rateWords } from '#models/catalog/rates';

/** All prices of a million tokens. */
export const ratesText = (rates: RateTexts): string =>
  Object.entries(rates)
    .map(([kind, rate]) => `${kind} ${rateWords(rate)}`)
    .join('; ');

/** `12000/10000` is the cost and 20 %. Other factors stay as they are. */
const markupText = (markup: string): string => {
  const [times = 0, over = 1] = markup.split('/').map(Number);
  const percent = ((times - over) * 100) / over;
  return Number.isInteger(percent * 100) ? `the cost and ${percent} %` : `${markup} of the cost`;
};

const flagText = (isOn: boolean | null): string => (isOn === null ? 'as usual' : isOn ? 'yes' : 'no');

/** An operator's changes of a model, in words for the audit. Null restores the default. */
export const changesText = (changes: ChoiceChanges): string => {
  const { markup, rates, belowCost, private: isPrivate, adultsOnly, routes } = changes;
  const price = rates ? ratesText(rates) : markup ? markupText(markup) : 'as usual';
  const named = (isOut: boolean): string =>
    (routes ?? [])
      .filter(({ leftOut = false }) => leftOut === isOut)
      .map(({ provider, model }) => `${provider} ${model}`)
      .join(', ');
  const [order, leftOut] = [named(false), named(true)];
  return [
    markup === undefined && rates === undefined ? [] : `price: ${price}`,
    belowCost === true ? 'also below the cost' : [],
    isPrivate === undefined ? [] : `private: ${flagText(isPrivate)}`,
    adultsOnly === undefined ? [] : `adults only: ${flagText(adultsOnly)}`,
    routes === undefined ? [] : `first routes: ${order || 'as usual'}`,
    leftOut === '' ? [] : `left out: ${leftOut}`,
  ]
    .flat()
    .join('. ');
};
