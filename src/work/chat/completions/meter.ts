import { COUNT_MAX, tokensPrice } from '#models/catalog/chat-price-calculator';
import { type TextRates, marked } from '#models/catalog/rates';
import { type Micro, smaller } from '#kernel/money';
import type { ConversationPiece, TextUsage } from '#models/providers/text-provider';
import type { ProviderRoute } from '#models/providers/routing/route';
import { likelyTokens } from './likely-tokens';
import type { WorstCase } from './worst-case';

/** Every text in a value, at any depth and under any field name. */
const textsIn = (value: unknown): string[] => {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'object' && next !== null)
      for (const each of Object.values(next)) open.push(each);
  }
  return texts;
};

/** Estimates the tokens that the model wrote in a delta. The role and the field names do not count. */
const writtenIn = (delta: Readonly<Record<string, unknown>>): number => {
  let tokens = 0;
  for (const [field, value] of Object.entries(delta)) {
    if (field === 'role') continue;
    if (typeof value === 'string') tokens += likelyTokens(value);
    else for (const text of textsIn(value)) tokens += likelyTokens(text);
  }
  return tokens;
};

/**
 * The cost of an answer so far. The provider's own counts replace the estimate, which uses the texts of the prompt and
 * of all deltas. Counts of zero, counts that shrink, and counts that stay the same while text arrives are not believed:
 * the estimate, or the earlier count, holds. `price` never exceeds the worst case.
 */
export class Meter {
  /** The estimated tokens of all deltas since the last believed count. */
  private written = 0;
  private real: TextUsage | undefined;
  private prompt: number | undefined;
  private completion = 0;
  /** The cached tokens of the believed prompt. */
  private cache = { read: 0, written: 0 };
  /** The believed prompt's other tokens with rates of their own, and the answer's. */
  private kinds: Pick<
    TextUsage,
    'cacheWrite1hTokens' | 'inputImageTokens' | 'inputAudioTokens' | 'outputAudioTokens'
  > = {};
  private isCachePriced = true;
  private anything = false;
  private doubted = false;

  constructor(
    private readonly rates: TextRates,
    private readonly worst: Pick<WorstCase, 'price' | 'input'>,
  ) {}

  /** The route that answers. Without a price for tokens from its cache, its vendor bills them as other input. */
  isAt({ prices }: ProviderRoute): void {
    this.isCachePriced =
      this.rates.markup === undefined || prices === undefined || prices.cacheRead !== undefined;
  }

  take(piece: ConversationPiece): void {
    if ('usage' in piece) {
      this.report(piece.usage);
      return;
    }
    const more = writtenIn(piece.delta) + (piece.hidden === undefined ? 0 : writtenIn(piece.hidden));
    this.written += more;
    this.anything ||= more > 0;
  }

  /** Whether the model has produced any text. */
  get hasWords(): boolean {
    return this.anything;
  }

  get usage(): { prompt_tokens: number; completion_tokens: number; total_tokens: number } {
    const prompt = Math.min(COUNT_MAX, this.prompt ?? this.worst.input);
    const completion = Math.min(COUNT_MAX, this.completion + this.written);
    return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  }

  /** The counted tokens of the call, for the owner's request log. */
  get tokens(): { readonly input: number; readonly output: number } {
    const { prompt_tokens: input, completion_tokens: output } = this.usage;
    return { input, output };
  }

  /** The tokens of the prompt that the provider read from its cache, or wrote into it. */
  get cached(): { readonly read: number; readonly written: number } {
    return this.cache;
  }

  /** The price by the provider's own bill or counts, even above the hold. Undefined without a plausible count. */
  get billed(): Micro | undefined {
    const { promptTokens = COUNT_MAX, completionTokens = 0, cost, ...cached } = this.real ?? {};
    if (cost !== undefined) return marked(cost, this.rates.markup);
    // Words since the last count are in no count.
    if (this.doubted || this.written > 0) return undefined;
    const isSane = promptTokens < COUNT_MAX && completionTokens < COUNT_MAX;
    return isSane ? tokensPrice(this.rates, { ...cached, promptTokens, completionTokens }) : undefined;
  }

  /** The counts so far, and the vendor's bill, to record the vendor's cost. Missing counts are estimated. */
  get counted(): TextUsage {
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = this.usage;
    return { ...this.real, promptTokens, completionTokens };
  }

  /** Some providers report their counts repeatedly. The estimate of later text is added to the last report. */
  private report(reported: TextUsage): void {
    const usage = this.isCachePriced ? reported : { ...reported, cacheReadTokens: 0 };
    this.real = usage;
    const { promptTokens, completionTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
    const isPrompt = promptTokens > 0 && promptTokens >= (this.prompt ?? 0);
    if (isPrompt) {
      const read = Math.min(cacheReadTokens, promptTokens);
      this.prompt = promptTokens;
      this.cache = { read, written: Math.min(cacheWriteTokens, promptTokens - read) };
      const { cacheWrite1hTokens, inputImageTokens, inputAudioTokens, outputAudioTokens } = usage;
      this.kinds = { cacheWrite1hTokens, inputImageTokens, inputAudioTokens, outputAudioTokens };
    }
    const isCompletion =
      completionTokens > this.completion || (completionTokens === this.completion && this.written === 0);
    if (isCompletion) {
      this.completion = completionTokens;
      this.written = 0;
    }
    this.doubted = !isPrompt || !isCompletion;
  }

  /** The written tokens so far. */
  get completionTokens(): number {
    return this.completion + this.written;
  }

  get price(): Micro {
    return this.priceAfter(0);
  }

  /** The price if the model writes so many more tokens. */
  priceAfter(more: number): Micro {
    const { prompt_tokens: promptTokens, completion_tokens: written } = this.usage;
    const { read: cacheReadTokens, written: cacheWriteTokens } = this.cache;
    const cached = { ...this.kinds, cacheReadTokens, cacheWriteTokens };
    const counted = { ...cached, promptTokens, completionTokens: written + more };
    return smaller(this.worst.price, tokensPrice(this.rates, counted));
  }
}
