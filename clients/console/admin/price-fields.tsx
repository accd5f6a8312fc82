import { type Rates, rateText } from './model-facts.ts';
import type { Schemas } from '../parts/api.ts';
import { TextInput } from '../parts/ui.tsx';

type Fields = Readonly<Record<string, string>>;

const KINDS: Readonly<Record<string, string>> = {
  inputUsdPerMtok: 'In',
  outputUsdPerMtok: 'Out',
  cacheReadUsdPerMtok: 'From the cache',
  cacheWriteUsdPerMtok: 'Into the cache',
  cacheWrite1hUsdPerMtok: 'Into the cache for an hour',
  inputImageUsdPerMtok: 'Pictures in',
  inputAudioUsdPerMtok: 'Sound in',
  outputAudioUsdPerMtok: 'Sound out',
};

/** A percentage of the cost as a factor: `25` is `12500/10000`. */
const markupOf = (percent: string): string => {
  const times = /^-?\d{1,4}(\.\d{1,2})?$/.test(percent) ? 10_000 + Math.round(Number(percent) * 100) : 0;
  if (times <= 0 || times > 999_999)
    throw new Error(
      `“${percent}” is no percentage above -100 and below 9,900 with at most two decimals, such as 20 or 12.5.`,
    );
  return `${times}/10000`;
};

export const percentOf = (markup: string | undefined): string => {
  if (markup === undefined) return '';
  const [times = 0, over = 1] = markup.split('/').map(Number);
  return String(Math.round((times / over - 1) * 10_000) / 100);
};

const DECIMAL = /^\d{1,12}(\.\d{1,12})?$/;

/** A price, with its steps: in `3, 6@200000`, the price is 6 if the input has more than 200,000 tokens. */
const rateOf = (text: string): Rates[string] => {
  const [base = '', ...steps] = text.split(',').map((part) => part.trim());
  const above = steps.map((step) => {
    const [price = '', tokens = ''] = step.split('@');
    return { usd: price, tokens: /^[1-9]\d{0,8}$/.test(tokens) ? Number(tokens) : 0 };
  });
  if (
    ![base, ...above.map((step) => step.usd)].every((usd) => DECIMAL.test(usd)) ||
    above.some((step) => step.tokens === 0)
  )
    throw new Error(`“${text}” is no price in USD, such as 3, or 3, 6@200000 with a step.`);
  if ([base, ...above.map((step) => step.usd)].some((usd) => Number(usd) === 0))
    throw new Error(`“${text}” has a price of 0. A price must be above 0.`);
  if (above.some(({ tokens }, place) => place > 0 && tokens <= (above[place - 1]?.tokens ?? 0)))
    throw new Error(`The steps of “${text}” must rise: each needs more tokens than the one before.`);
  return above.length === 0 ? base : { base, above };
};

const textOf = (rate: Rates[string]): string =>
  typeof rate === 'object'
    ? [rate.base, ...rate.above.map(({ tokens, usd }) => `${usd}@${tokens}`)].join(', ')
    : (rate ?? '');

/** The texts of the fields for the present price. */
export const priceTexts = (changes: Schemas['AdminModelChanges']): Fields => ({
  percent: percentOf(changes.markup),
  ...Object.fromEntries(
    Object.keys(KINDS).map((kind) => [kind, textOf((changes.rates as Rates | undefined)?.[kind])]),
  ),
  belowCost: changes.belowCost === true ? 'on' : '',
});

/** The price in the fields. Empty fields mean the usual one. Throws if they contain no price. */
export const priceIn = (fields: Fields): Schemas['ModelPatchBody'] => {
  const texts = Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, text.trim()]));
  const percent = texts['percent'] ?? '';
  const given = Object.keys(KINDS).filter((kind) => (texts[kind] ?? '') !== '');
  const belowCost = texts['belowCost'] === 'on';
  if (percent !== '' && given.length > 0) throw new Error('Give a markup or prices, not both.');
  if (percent !== '') return { markup: markupOf(percent), belowCost };
  if (given.length === 0) return { markup: null, rates: null };
  if (!given.includes('inputUsdPerMtok') || !given.includes('outputUsdPerMtok'))
    throw new Error('Give both prices: in and out.');
  const rates = Object.fromEntries(given.map((kind) => [kind, rateOf(texts[kind] ?? '')]));
  return { rates: rates as never, belowCost };
};

export const PercentField = ({ text, hint }: { readonly text?: string; readonly hint?: string }) => (
  <TextInput
    label="Markup in percent of the cost"
    name="percent"
    inputMode="decimal"
    autoComplete="off"
    defaultValue={text}
    hint={hint}
  />
);

/** A field for the price of each kind of token, with the cost of the kind. */
export const RateFields = ({ cost, texts = {} }: { readonly cost: Rates; readonly texts?: Fields }) => (
  <>
    <div class="grid">
      {Object.entries(KINDS)
        .filter(([kind]) => kind in cost || (texts[kind] ?? '') !== '')
        .map(([kind, label]) => (
          <TextInput
            key={kind}
            label={label}
            name={kind}
            autoComplete="off"
            defaultValue={texts[kind]}
            hint={
              cost[kind] === undefined || cost[kind] === '' ? undefined : `Costs ${rateText(cost[kind])}.`
            }
          />
        ))}
    </div>
    <p class="hint">
      USD per million tokens. 3, 6@200000 is $3, and $6 if the input has more than 200,000 tokens. A kind
      without a price keeps its default price.
    </p>
  </>
);
