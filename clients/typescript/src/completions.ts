import { sureMicro } from './amounts.ts';
import type { Models, Receipt, Schemas } from './answers.ts';
import { CallAborted, CallError, type ChargeState, LamppostError } from './errors.ts';
import type { Charge } from './medium.ts';
import { naming } from './naming.ts';
import { type CallOptions, checkCall, patienceOf } from './options.ts';
import { pause } from './pause.ts';
import type { Opened, Payer } from './payer.ts';
import type { Request, Sender } from './sender.ts';
import { piecesOf } from './stream.ts';
import { refuseUnknown } from './unknown-options.ts';

export type CompletionBody = Schemas['StudioBody'];
export type Completion = Schemas['StudioAnswer'];

export interface CompletionOptions extends CallOptions {
  readonly idempotencyKey?: string | undefined;
}

/** A piece of a tool call. Pieces with the same index belong together. */
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
  /** Set in the last piece. */
  readonly requestId?: string | undefined;
}

/** The fields of a conversation of any API that determine its cost. */
export interface Costly {
  readonly model?: string | undefined;
  readonly max_tokens?: number | undefined;
  readonly max_completion_tokens?: number | undefined;
  readonly max_output_tokens?: number | undefined;
}

/** How a free part of a paid call is sent: as patiently as the call, and its errors have the key of the call. */
export type Part = CallOptions & Pick<Request, 'known'>;

const PATH = '/v1/chat/completions';
const TOKENS_DEFAULT = 1_024;
/** The most tokens that one image can have. */
const IMAGE_TOKENS_MAX = 20_000;
const INPUT_RATES = [
  'inputUsdPerMtok',
  'cacheWriteUsdPerMtok',
  'cacheWrite1hUsdPerMtok',
  'inputImageUsdPerMtok',
] as const;
/** The time within which the service knows the cost of an answer that its reader has left. */
const SETTLED_MS = 2_000;
const LOOK_AGAIN_MS = 100;
const FIELDS = [
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'reasoning_effort',
  'stream',
  'stream_options',
  'n',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'stop',
  'payer',
  'quoteId',
  'maxPriceMicro',
  'dryRun',
  'tag',
] as const satisfies readonly (keyof CompletionBody)[];

/**
 * Conversations in OpenAI's form, with tools and images: by key, session or the balance of a wallet, charged by tokens.
 */
export class Completions {
  private rates: readonly Schemas['TextModelAnswer'][] | undefined;

  /** @internal */
  constructor(
    private readonly payer: Payer,
    private readonly models: (how: Part) => Promise<Models>,
    private readonly sender: Sender,
    private readonly how: { readonly tries: number | undefined; readonly onRetry: CallOptions['onRetry'] },
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
  ): Promise<{
    readonly body: Completion;
    readonly charge: Charge;
    readonly requestId?: string | undefined;
  }> {
    const request = requestOf(body, options);
    const {
      body: answer,
      charge,
      requestId,
    } = await naming(request, () =>
      this.payer.buyMetered<Completion>(request, () => this.mostOf(body, partOf(request, options))),
    );
    return { body: answer, charge, requestId };
  }

  /**
   * Streams one answer. Leaving the loop stops it, and the text so far is charged.
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
    const opened = await naming(request, () =>
      this.payer.open(request, () => this.mostOf(body, partOf(request, options))),
    );
    const chargeId = opened.response.headers.get('x-charge-id') ?? undefined;
    const known = { idempotencyKey, chargeId };
    let isLeft = true;
    let isOpen = false;
    try {
      const readState = async (): Promise<ChargeState> => (await this.receiptOf(chargeId, signal)).state;
      yield* piecesOf(opened, { idempotencyKey, tries, signal, onRetry, readState });
      isLeft = false;
    } catch (error) {
      isLeft = false;
      if (signal?.aborted === true && error === signal.reason) {
        isOpen = true;
        const fate = this.leave(opened);
        void fate.then(() => opened.end());
        throw new CallAborted(
          known,
          error,
          fate.then((chargeState) => ({ chargeState })),
          true,
        );
      }
      // While the outcome is unknown, a repetition needs the same payer.
      isOpen = !(error instanceof LamppostError && error.chargeState === 'released');
      throw error instanceof CallError ? error.know(known) : error;
    } finally {
      if (isLeft) await this.leave(opened);
      if (!isOpen) await opened.end();
    }
  }

  /**
   * Reads the cost of an answer that its reader has left. The text so far is charged, and the receipt shows the cost a
   * moment later.
   */
  private async leave(opened: Opened): Promise<ChargeState | undefined> {
    const id = opened.response.headers.get('x-charge-id') ?? undefined;
    const signal = AbortSignal.timeout(SETTLED_MS);
    try {
      for (;;) {
        const { state, priceMicro } = await this.receiptOf(id, signal);
        if (state !== 'held' && state !== 'settling') {
          await opened.settle(state === 'charged' ? priceMicro : 0);
          return state;
        }
        await pause(LOOK_AGAIN_MS, signal);
      }
    } catch {
      // The cost is unknown, so the highest possible cost stays reserved.
      return undefined;
    }
  }

  private async receiptOf(id = '', signal?: AbortSignal): Promise<Receipt> {
    const path = `/v1/agent/charges/${encodeURIComponent(id)}`;
    return (await this.sender.json<Receipt>({ method: 'GET', path, signal, tries: 1, has: 'state' })).body;
  }

  /**
   * The highest possible cost. It may be higher than the service's own limit, because it counts one token for each
   * byte, and no text has more tokens.
   * @internal
   */
  async mostOf(body: Costly, part: Part): Promise<number> {
    const rates = this.rates ?? (await this.models(part)).textModels;
    this.rates = rates;
    const model = rates.filter((one) =>
      body.model === undefined
        ? one.default === true
        : one.id === body.model || one.aliases?.includes(body.model) === true,
    );
    let images = 0;
    const text = JSON.stringify(body, (name, value: unknown) => {
      if (name !== 'image_url') return value;
      images += 1;
      return '';
    });
    const input = new TextEncoder().encode(text).length + images * IMAGE_TOKENS_MAX;
    const wanted = body.max_completion_tokens ?? body.max_tokens ?? body.max_output_tokens;
    // A model that is not listed counts as the most expensive one. Without this, a service could claim that it costs
    // nothing.
    const mosts = (model.length > 0 ? model : rates).map((one) => mostAt(one, input, wanted));
    return sureMicro(Math.max(...mosts), 'a price');
  }
}

/** The cost at the dearest rates that an input of so many tokens can reach. Any of it may go into the maker's cache. */
const mostAt = (model: Schemas['TextModelAnswer'], input: number, wanted: number | undefined): number => {
  const steps = (model.above ?? []).filter(({ tokens }) => tokens < input);
  const reached = [model, ...steps.map((step) => ({ ...model, ...step }))];
  const inputs = reached.flatMap((rates) => INPUT_RATES.map((name) => Number(rates[name] ?? 0)));
  const outputs = reached.map((rates) => Number(rates.outputUsdPerMtok));
  const output = wanted ?? model.maxOutputTokens ?? TOKENS_DEFAULT;
  return Math.ceil(input * Math.max(...inputs) + output * Math.max(...outputs));
};

const partOf = ({ headers }: Request, options: CallOptions): Part => ({
  ...patienceOf(options),
  known: { idempotencyKey: headers?.['Idempotency-Key'] },
});

const requestOf = (body: CompletionBody, options: CompletionOptions): Request => {
  checkCall(options, 'completions', 'idempotencyKey');
  refuseUnknown(body, FIELDS, 'completions');
  const headers = { 'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() };
  return { method: 'POST', path: PATH, body, headers, has: 'choices', ...patienceOf(options) };
};
