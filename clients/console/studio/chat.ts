import { type Schemas, ApiError, receiptOf, send } from '../parts/api.ts';
import { listen } from '../parts/live-events.ts';

export type TextModel = Schemas['TextModelAnswer'];

/** A part of a message, in the shape of the compatible route. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string | readonly Part[];
}

/** The body of a call of the compatible route. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly max_tokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly reasoning_effort?: string | undefined;
}

export const TOKENS_DEFAULT = 1_024;

/** The token count of an image. The catalog does not contain it for each model. */
const IMAGE_TOKENS = 20_000;
/** Fields that no model receives. All other fields count as input. */
const UNSENT: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
  'n',
  'payer',
  'quoteId',
  'maxPriceMicro',
  'dryRun',
  'tag',
]);

const isImage = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && (part as Part).type === 'image_url';

/** A rate in billionths of a dollar. */
const nanoOf = (usd = '0'): bigint => {
  const [whole = '0', decimals = ''] = usd.split('.');
  return BigInt(whole + decimals.padEnd(9, '0'));
};

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** The dearest rates that an input of so many tokens can reach: any of it may go into the maker's cache. */
const dearest = (model: TextModel, tokens: number): { readonly input: bigint; readonly output: bigint } => {
  const steps = (model.above ?? []).filter((step) => step.tokens < tokens);
  const reached = [model, ...steps.map((step) => ({ ...model, ...step }))];
  return {
    input: reached
      .flatMap((rates) => [rates.inputUsdPerMtok, rates.cacheWriteUsdPerMtok, rates.inputImageUsdPerMtok])
      .map(nanoOf)
      .reduce(larger),
    output: reached.map((rates) => nanoOf(rates.outputUsdPerMtok)).reduce(larger),
  };
};

const NANO_PER_MICRO_OF_MTOK = 1_000_000_000n;

/**
 * The most that a call can cost. It counts one token for each byte that the model receives, and a fixed number for
 * each image. To these it adds the most tokens of the answer, all at the dearest rate. The service's own limit is at most this, so the
 * page needs no request for it.
 */
export const worstCase = (model: TextModel, body: Conversation): number => {
  let images = 0;
  const messages = body.messages.map(({ role, content }) => {
    if (!Array.isArray(content)) return { role, content };
    const parts = content.map((part: Part) => {
      if (!isImage(part)) return part;
      images += 1;
      return { type: 'image_url', image_url: { url: '' } };
    });
    return { role, content: parts };
  });
  const sent = Object.entries(body).filter(([name]) => !UNSENT.has(name));
  const text = JSON.stringify({ ...Object.fromEntries(sent), messages });
  const bytes = new TextEncoder().encode(text).length + images * IMAGE_TOKENS;
  const tokens = (body as { max_completion_tokens?: number }).max_completion_tokens ?? body.max_tokens;
  const rates = dearest(model, bytes);
  const nano =
    BigInt(bytes) * rates.input + BigInt(tokens ?? model.maxOutputTokens ?? TOKENS_DEFAULT) * rates.output;
  return Number((nano + NANO_PER_MICRO_OF_MTOK - 1n) / NANO_PER_MICRO_OF_MTOK);
};

export interface Cost {
  readonly micro: number;
  readonly chargeId: string;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
}

interface Chunk {
  readonly choices?: readonly { readonly delta: { readonly content?: string | null } }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly charge?: { readonly id: string; readonly priceMicro: number };
  readonly error?: { readonly message?: string };
}

/** The complete events of a stream, even if an event is split across network chunks. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk> {
  let rest = '';
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const events = (rest + decoder.decode(piece.value, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.replace(/^data: /, '');
      if (data !== '[DONE]' && data !== '') yield JSON.parse(data) as Chunk;
    }
  }
}

const DECIDED_MS_MAX = 5_000;

/** Resolves when an event or a timeout suggests that the charge has been decided. */
const decided = (chargeId: string): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => done(), DECIDED_MS_MAX);
    const leave = listen((event) => {
      if (event !== undefined && event.data['id'] === chargeId) done();
    });
    const done = (): void => {
      clearTimeout(timer);
      leave();
      resolve();
    };
  });

/** The cost of an answer that the person stopped. The service computes it when it notices the disconnect. */
const costOfStopped = async (chargeId: string): Promise<Cost | undefined> => {
  let charge = await receiptOf(chargeId);
  if (charge.state === 'held') {
    await decided(chargeId);
    charge = await receiptOf(chargeId);
  }
  return charge.state === 'held'
    ? undefined
    : { micro: charge.state === 'released' ? 0 : charge.priceMicro, chargeId };
};

/** Streams one answer. If the person stops it, the page keeps the text so far, which is charged. This is no error. */
export const converse = async (
  model: TextModel,
  conversation: Conversation,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<Cost | undefined> => {
  let chargeId = '';
  let cost: Cost | undefined;
  try {
    const response = await send('post', '/v1/chat/completions', {
      body: {
        model: model.id,
        ...conversation,
        // The call may not cost more than the highest price that the page shows.
        maxPriceMicro: worstCase(model, conversation),
        stream: true,
        stream_options: { include_usage: true },
      },
      signal,
    });
    chargeId = response.headers.get('x-charge-id') ?? '';
    for await (const { choices, usage, charge, error } of eventsOf(response.body!)) {
      if (error !== undefined) throw new ApiError(502, { error });
      const text = choices?.[0]?.delta.content;
      if (typeof text === 'string' && text !== '') onText(text);
      if (charge !== undefined && usage !== undefined) {
        const { prompt_tokens: tokensIn, completion_tokens: tokensOut } = usage;
        cost = { micro: charge.priceMicro, chargeId: charge.id, tokensIn, tokensOut };
      }
    }
    return cost;
  } catch (error) {
    if (!signal.aborted) throw error;
    return chargeId === '' ? undefined : costOfStopped(chargeId);
  }
};
