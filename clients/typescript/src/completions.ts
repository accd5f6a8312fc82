import { sureMicro } from './amounts.ts';
import type { Models, Schemas } from './answers.ts';
import type { Charge } from './medium.ts';
import { type CallOptions, checkCall, patienceOf } from './options.ts';
import type { Payer } from './payer.ts';
import type { Request } from './sender.ts';
import { piecesOf } from './stream.ts';

export type CompletionBody = Schemas['StudioBody'];
export type Completion = Schemas['StudioAnswer'];

export interface CompletionOptions extends CallOptions {
  readonly idempotencyKey?: string | undefined;
}

/** A piece of a tool call; those of one index belong together. */
export interface ToolCallPiece {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** A piece of a streamed completion. The last one has the cost. */
export interface CompletionPiece {
  readonly id?: string;
  readonly model?: string;
  readonly choices?: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly ToolCallPiece[];
    };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: Schemas['StudioUsage'];
  readonly charge?: Charge;
}

const PATH = '/v1/chat/completions';
const TOKENS_DEFAULT = 1_024;
/** The most tokens of one image. */
const IMAGE_TOKENS_MAX = 20_000;

/**
 * Conversations in OpenAI's form, with tools and images: by key, session or the balance of a wallet, charged by tokens.
 */
export class Completions {
  private rates: Promise<readonly Schemas['TextModelAnswer'][]> | undefined;

  /** @internal */
  constructor(
    private readonly payer: Payer,
    private readonly models: () => Promise<Models>,
    private readonly how: { readonly tries: number; readonly onRetry: CallOptions['onRetry'] },
  ) {}

  /**
   * One answer, whole.
   * @example
   * const { body, charge } = await lamppost.completions.create({ messages: [{ role: 'user', content: 'Hello.' }] });
   * console.log(body.choices[0]?.message.content, charge.micro);
   */
  async create(
    body: CompletionBody,
    options: CompletionOptions = {},
  ): Promise<{ readonly body: Completion; readonly charge: Charge }> {
    const { body: answer, charge } = await this.payer.buyMetered<Completion>(requestOf(body, options), () =>
      this.mostOf(body),
    );
    return { body: answer, charge };
  }

  /**
   * The same as a stream. Leaving the loop stops it, and pays for the text so far.
   *
   * @example
   * const messages = [{ role: 'user' as const, content: 'Hello.' }];
   * for await (const { choices } of lamppost.completions.stream({ messages, max_tokens: 50 })) {
   *   process.stdout.write(choices?.[0]?.delta.content ?? '');
   * }
   */
  async *stream(
    body: CompletionBody,
    options: CompletionOptions = {},
  ): AsyncGenerator<CompletionPiece, void> {
    const whole = { ...body, stream: true, stream_options: { include_usage: true } };
    const { idempotencyKey = crypto.randomUUID(), signal } = options;
    const { tries = this.how.tries, onRetry = this.how.onRetry } = options;
    const request = requestOf(whole, { ...options, idempotencyKey });
    const opened = await this.payer.open(request, () => this.mostOf(body));
    try {
      yield* piecesOf(opened, { idempotencyKey, tries, signal, onRetry });
    } finally {
      await opened.end();
    }
  }

  /** A limit above the service's own: no text has more tokens than bytes. */
  private async mostOf(body: CompletionBody): Promise<number> {
    this.rates ??= this.models().then(({ textModels }) => textModels);
    this.rates.catch(() => (this.rates = undefined));
    const rates = await this.rates;
    const model = rates.filter((one) =>
      body.model === undefined ? one.default === true : one.id === body.model,
    );
    let images = 0;
    const text = JSON.stringify(body, (name, value: unknown) => {
      if (name !== 'image_url') return value;
      images += 1;
      return '';
    });
    const input = new TextEncoder().encode(text).length + images * IMAGE_TOKENS_MAX;
    const output = body.max_completion_tokens ?? body.max_tokens ?? TOKENS_DEFAULT;
    // An unlisted one counts as the dearest, because a price of zero would be a mere claim.
    const mosts = (model.length > 0 ? model : rates).map(({ inputUsdPerMtok, outputUsdPerMtok }) =>
      Math.ceil(input * Number(inputUsdPerMtok) + output * Number(outputUsdPerMtok)),
    );
    return sureMicro(Math.max(...mosts), 'a price');
  }
}

const requestOf = (body: CompletionBody, options: CompletionOptions): Request => {
  checkCall(options, 'completions', 'idempotencyKey');
  const headers = { 'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() };
  return { method: 'POST', path: PATH, body, headers, ...patienceOf(options) };
};
