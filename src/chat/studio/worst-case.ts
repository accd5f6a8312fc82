import type { TextModel } from '../../catalog/catalog';
import { CHAT_TOKENS_DEFAULT, type TextRates } from '../../catalog/pricing';
import { InvalidRequest } from '../../kernel/app-error';
import { type Micro, ceilDiv, micro } from '../../kernel/money';
import type { StudioBody } from './studio.dto';

/** No model of the catalog counts an image as more tokens than this. */
const IMAGE_TOKENS_MAX = 4_096;

/** Real tokens at the catalog's rates, without markup or floor; a fraction of a micro is charged. */
export const tokensPrice = (rates: TextRates, input: number, output: number): Micro =>
  micro(ceilDiv(BigInt(input) * rates.input + BigInt(output) * rates.output, 1_000_000n));

interface Part {
  readonly type?: string;
  readonly image_url?: { readonly url: string };
}

const partsOf = (content: unknown): readonly Part[] => (Array.isArray(content) ? (content as Part[]) : []);

export const maxTokensOf = (body: StudioBody): number =>
  body.max_completion_tokens ?? body.max_tokens ?? CHAT_TOKENS_DEFAULT;

/** One token for each byte of the request bounds any tokenizer; images count by their fixed maximum instead. */
export const worstCase = (
  model: TextModel,
  body: StudioBody,
): { readonly price: Micro; readonly inputMax: number } => {
  let images = 0;
  const text = JSON.stringify(
    { messages: body.messages, tools: body.tools, response_format: body.response_format },
    (key, value: unknown) => {
      if (key !== 'image_url') return value;
      images += 1;
      return undefined;
    },
  );
  if (images > 0 && model.vision !== true) {
    throw new InvalidRequest(`${model.id} does not see images; choose a model with "vision": true.`, {
      param: 'messages',
    });
  }
  const inputMax = Buffer.byteLength(text) + images * IMAGE_TOKENS_MAX;
  return { price: tokensPrice(model.rates, inputMax, maxTokensOf(body)), inputMax };
};

/** All the words of a conversation, for the content policy. */
export const wordsOf = (body: StudioBody): string =>
  body.messages
    .flatMap(({ content }) =>
      typeof content === 'string'
        ? [content]
        : partsOf(content).map((part) => (part as { text?: string }).text ?? ''),
    )
    .join('\n');
