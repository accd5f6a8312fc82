import { tokensPrice } from '#models/catalog/chat-price-calculator';
import { sellerOf } from '#models/catalog/book/seller';
import { withMedia } from '#models/catalog/listed/makers-media';
import { offeredModels } from '#models/catalog/listed/list-comparison';
import type { OfferedModel } from '#models/catalog/listed/offered-model';
import type { Ratio } from '#models/catalog/prices.settings';
import { pricesIn } from '#models/catalog/rates';
import { AppError } from '#kernel/app-error';
import { type Micro, larger, micro, usdText } from '#kernel/money';
import { outsideReason } from '#kernel/outside-failure';
import type { PartySettings } from '#platform/config/party';
import { listedModels } from '#models/providers/models/model-list';
import type { TextProvider } from '#models/providers/text-provider';
import type { TokenPrices } from '#models/providers/token-prices';
import { vendorOf } from '#models/providers/vendors';

const ASK_MS_MAX = 60_000;
const MESSAGES = [{ role: 'user', content: 'Answer with one word: which color has the sky?' }] as const;
/** More tokens than the prompt has at any vendor. */
const PROMPT_TOKENS_MAX = 100;
const ANSWER_TOKENS_MAX = 64;

/** A model with its prices at the vendor. */
interface Priced {
  readonly model: OfferedModel;
  readonly prices: TokenPrices;
}

const worstOf = (prices: TokenPrices): Micro =>
  tokensPrice(prices, { promptTokens: PROMPT_TOKENS_MAX, completionTokens: ANSWER_TOKENS_MAX });

/** The model of the vendor whose call costs least. */
const cheapestOf = async (own: PartySettings, signal: AbortSignal): Promise<Priced | undefined> => {
  const list = vendorOf(own).models?.(own);
  if (list === undefined) return undefined;
  const listed = withMedia(own.name, await listedModels(list, signal));
  const offered = offeredModels(sellerOf(own), listed, [], new Date());
  const priced = offered.flatMap((model) =>
    model.rates === undefined ? [] : [{ model, prices: pricesIn(model.rates) }],
  );
  return priced.toSorted((a, b) => Number(worstOf(a.prices) - worstOf(b.prices)))[0];
};

/** Removes the vendor's secrets from a text. A vendor's error may contain the key. */
export const withoutSecrets = (own: PartySettings, text: string): string =>
  Object.values(own.access)
    .filter(
      (secret): secret is string =>
        typeof secret === 'string' && secret.length >= 8 && !secret.startsWith('http'),
    )
    .reduce((clean, secret) => clean.replaceAll(secret, '…'), text);

/** Why a call has failed. The sentence of an `AppError` is for callers, so its cause counts. */
export const whyFailed = (error: unknown): string => {
  const cause = error instanceof AppError ? (error.extras.cause ?? error) : error;
  return outsideReason(cause) ?? (cause as Error).message;
};

export interface Tried {
  readonly lines: readonly string[];
  /** The vendor's bills. For a call whose answer names none, the most that it may have cost. */
  readonly spent: Micro;
  readonly hasFailed: boolean;
}

export const tried = (lines: readonly string[], spent = micro(0n), hasFailed = false): Tried => ({
  lines,
  spent,
  hasFailed,
});

/** Makes the cheapest call of a text at a vendor, if the budget covers its worst case. */
export const tryText = async (
  own: PartySettings,
  provider: TextProvider | undefined,
  budget: Micro,
  markup: Ratio,
): Promise<Tried> => {
  const { name } = own;
  const signal = AbortSignal.timeout(ASK_MS_MAX);
  let spent = micro(0n);
  try {
    const cheapest = provider === undefined ? undefined : await cheapestOf(own, signal);
    if (provider === undefined || cheapest === undefined)
      return tried([`${name}: no text model with a price`]);
    const { model, prices } = cheapest;
    const worst = worstOf(prices);
    if (worst > budget)
      return tried([`${name}: ${model.id} may cost $${usdText(worst)}, which is above the budget`]);
    const request = { model: model.id, messages: MESSAGES, maxTokens: ANSWER_TOKENS_MAX };
    spent = worst;
    const { content, cost, ...counts } = await provider.complete(
      { ...request, ourId: 'vendors-try' },
      signal,
    );
    const byCounts = tokensPrice(prices, counts);
    spent = cost ?? larger(worst, byCounts);
    const ours = tokensPrice({ ...prices, markup }, counts);
    const bill = cost === undefined ? 'not named in the answer' : `$${usdText(cost)}`;
    const lines = [
      `${name}: request ${JSON.stringify(request)}`,
      `${name}: answer ${JSON.stringify(content)}`,
      `${name}: counts ${JSON.stringify(counts)}`,
      `${name}: bill of the vendor ${bill}; by the book $${usdText(byCounts)}; here $${usdText(ours)}`,
    ];
    return tried(
      lines.map((line) => withoutSecrets(own, line)),
      spent,
    );
  } catch (error) {
    return tried([withoutSecrets(own, `${name}: failed: ${whyFailed(error)}`)], spent, true);
  }
};
