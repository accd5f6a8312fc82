import { microOf, sureMicro } from './amounts.ts';
import type { Chat, ChatPiece, Models, Quote, Schemas, Started } from './answers.ts';
import { Api } from './api.ts';
import { Audio } from './audio.ts';
import { Batches } from './batches.ts';
import { Budget } from './budget.ts';
import { Completions, type Part } from './completions.ts';
import { DelegatedKeys } from './delegated-keys.ts';
import type { EventType, LamppostEvent } from './events.ts';
import { Jobs } from './jobs.ts';
import { Keys } from './keys.ts';
import { Loans } from './loans.ts';
import { type Later, later } from './later.ts';
import { Making } from './making.ts';
import type { Charge, Medium } from './medium.ts';
import { naming } from './naming.ts';
import {
  type CallOptions,
  type ChatOptions,
  type EventFilter,
  type LamppostOptions,
  type MediaOptions,
  type Message,
  type ModelOptions,
  type PaidOptions,
  type ReadOptions,
  checkCall,
  checkChat,
  checkMedia,
  checkOptions,
  checkPaid,
  modelOf,
  paidRequest,
  patienceOf,
  placeOf,
} from './options.ts';
import { pause } from './pause.ts';
import { payableOf } from './payable.ts';
import { type Payer, reservationIdOf } from './payer.ts';
import { PerCall } from './per-call.ts';
import { Prepaid } from './prepaid.ts';
import { Receipts } from './receipts.ts';
import { References } from './references.ts';
import { type Headers, Sender } from './sender.ts';
import { refuseUnknown } from './unknown-options.ts';
import { SignIn } from './wallet.ts';
import { Webhooks } from './webhooks.ts';

export type {
  Chat,
  ChatPiece,
  Batch,
  Delivery,
  Job,
  Key,
  ListedJob,
  Models,
  Quote,
  Receipt,
  Reference,
  Started,
  Statement,
  Usage,
  Webhook,
} from './answers.ts';
export type { SpeechOptions, Transcript, TranscriptOptions } from './audio.ts';
export type { BatchEndpoint, BatchResult } from './batches.ts';
export { Budget, type Limits, type Spending } from './budget.ts';
export type { Completion, CompletionBody, CompletionOptions, CompletionPiece } from './completions.ts';
export {
  BudgetExceeded,
  CallAborted,
  CallError,
  type ChargeState,
  JobFailed,
  LamppostError,
  NoAnswer,
  NotGenuine,
} from './errors.ts';
export type { EventData, EventType, LamppostEvent, WebhookEvent } from './events.ts';
export { type Charge, Made, Medium, type Source } from './medium.ts';
export type {
  CallOptions,
  ChatOptions,
  EventFilter,
  JobFilter,
  LamppostOptions,
  MediaOptions,
  Message,
  ModelOptions,
  NewDelegatedKey,
  PaidOptions,
  ReadOptions,
  WaitOptions,
} from './options.ts';
export { type WebhookMessage, type WebhookProof, type WebhookRecipient, isGenuineWebhook } from './proof.ts';
export type { LogEntry, Retry } from './sender.ts';
export { VERSION } from './version.ts';
export type { Signer } from './wallet.ts';

const VIDEO_SECONDS = 4;
const EVENT_WAIT_SECONDS = 60;
const POLL_MS = 1_000;
const TOP_UP_USD = { min: 1, max: 500 };
const TIMEOUT_MS = 150_000;

/** Images, films and text from one service, paid by one key, wallet or account. */
export class Lamppost {
  readonly #api: Api;
  readonly #sender: Sender;
  readonly #payer: Payer;
  readonly #perCall: PerCall | undefined;
  readonly #making: Making;
  readonly #wallet: string | undefined;
  /** @internal */
  readonly channel: Later | undefined;
  /** Conversations in OpenAI's form, with tools: by key, session, channel or the balance of a wallet. */
  readonly completions: Completions;
  /** The limits and the spending: `await lamppost.budget.state()`. */
  readonly budget: Budget;
  readonly jobs: Jobs;
  /** Speech, and transcripts of it. */
  readonly audio: Audio;
  /** Many conversations that run within a day. */
  readonly batches: Batches;
  readonly references: References;
  readonly receipts: Receipts;
  /** Endpoints that receive signed events: see `isGenuineWebhook`. */
  readonly webhooks: Webhooks;
  /** The keys of an account. Only a client with a session can manage them. */
  readonly keys: Keys;
  /** Delegated keys for others: they spend a part of this payer's money, for a time. */
  readonly delegated: DelegatedKeys;

  constructor(options: LamppostOptions = {}) {
    checkOptions(options);
    const { base, key } = placeOf(options);
    const { wallet, session, timeoutMs = TIMEOUT_MS, tries, onRetry, log } = options;
    // This calls `fetch` as a plain function, because browsers refuse to run it as a method of another object.
    const send: typeof fetch = options.fetch ?? ((...args) => fetch(...args));
    const sender = new Sender(base, {
      fetch: send,
      timeoutMs,
      tries,
      onRetry,
      log,
      headers: options.headers,
      credentials: session === true ? 'include' : undefined,
    });
    this.budget = options.budget instanceof Budget ? options.budget : new Budget(options.budget);
    const { budget } = this;
    const payable = payableOf(options);
    const signIn = wallet && new SignIn(wallet, base, options.chainId ?? payable.chainId);
    const proofFor = signIn && ((path: string) => signIn.headersFor(sender.urlOf({ path }).href));
    // Only functions hold the credentials, so a printed or logged object shows none.
    const proof = async (): Promise<Headers> => {
      if (signIn !== undefined) return signIn.headers();
      if (key !== undefined) return { 'x-api-key': key };
      return typeof session === 'string' ? { cookie: session, origin: base.origin } : {};
    };
    const api = new Api(sender, proof);
    this.#api = api;
    this.#sender = sender;
    this.#wallet = wallet?.address;
    this.#perCall = wallet && new PerCall(sender, budget, wallet, payable);
    const loans = proofFor && new Loans(api, proofFor);
    if (options.pay === 'channel' && wallet !== undefined) {
      const depositMicro = Math.floor((options.deposit ?? 1) * 1e6);
      this.channel = later({ sender, budget, signer: wallet, payable, fetch: send, depositMicro });
    }
    const paysPerCall = options.pay !== 'balance' && this.#perCall;
    const payer = (): string => key ?? wallet?.address ?? String(session);
    this.#payer = this.channel ?? (paysPerCall || new Prepaid(sender, budget, proof, payer, loans));
    const modelsFor = (part: Part): Promise<Models> =>
      api.get('/v1/agent/models', { has: 'textModels', ...part });
    this.completions = new Completions(this.#payer, modelsFor, sender, { tries, onRetry });
    this.jobs = new Jobs(api, sender);
    this.audio = new Audio(this.#payer, api);
    const nameOf = (mark: string): Promise<string> => reservationIdOf(base, mark, payer());
    this.batches = new Batches(api, budget, this.completions, nameOf);
    this.#making = new Making(sender, this.#payer, api, this.jobs);
    this.references = new References(api);
    this.receipts = new Receipts(api);
    this.webhooks = new Webhooks(api);
    this.keys = new Keys(api);
    this.delegated = new DelegatedKeys(api, budget, proofFor);
  }

  /**
   * Reads a free route with the credential of this client.
   * @example
   * const manifest = await (await lamppost.read('/v1/agent/manifest.json')).json();
   */
  read(path: string, options: ReadOptions = {}): Promise<Response> {
    checkCall(options, 'read()', 'query', 'body');
    return this.#api.open(path, options);
  }

  /**
   * The result of a call, and the response of the service: that with the charge, or else the last one.
   *
   * @example
   * const { data, requestId } = await lamppost.withResponse((how) => lamppost.chat('Hello.', { ...how, maxTokens: 20 }));
   * console.log(data.text, requestId);
   */
  async withResponse<T>(call: (how: CallOptions) => Promise<T>): Promise<WithResponse<T>> {
    let seen = new Response();
    const isCharged = ({ headers }: Response): boolean => headers.has('x-charge-id');
    const data = await call({
      onResponse: (response) => {
        if (isCharged(response) || !isCharged(seen)) seen = response;
      },
    });
    return { data, response: seen, requestId: seen.headers.get('x-request-id') ?? undefined };
  }

  /**
   * The models and their prices.
   *
   * @example
   * const { models, textModels } = await lamppost.models();
   * console.log([...models, ...textModels].map(({ id }) => id));
   */
  models(options: CallOptions = {}): Promise<Models> {
    return this.#api.get('/v1/agent/models', { has: 'textModels', ...options });
  }

  /**
   * The exact price of a call, free, and locked for 15 minutes: pass its `quoteId` to the call.
   *
   * @example
   * const { priceMicro, quoteId } = await lamppost.quote({ model: 'ember-image' });
   * if (priceMicro < 50_000) await lamppost.image('A red fox', { model: 'ember-image', quoteId });
   */
  async quote(call: QuoteCall, options: CallOptions = {}): Promise<Quote> {
    checkCall(options, 'quote()');
    refuseUnknown(call, QUOTED, 'quote()');
    const { model: _, ...rest } = call;
    const body = { ...rest, modelId: modelOf(call) };
    const how = { has: 'priceMicro', ...patienceOf(options) };
    const request = { method: 'POST', path: '/v1/agent/quote', body, ...how } as const;
    return (await this.#sender.json<Quote>(request)).body;
  }

  /**
   * Makes a picture and waits for it.
   *
   * @example
   * const picture = await lamppost.image('A red fox in the snow', { aspectRatio: '16:9' });
   * await picture.save('fox.png');
   */
  image(prompt: string, options: MediaOptions = {}): Promise<Medium> {
    return this.#making.make('image()', { prompt }, options);
  }

  /**
   * Makes a film and waits for it, which takes minutes: `onProgress` gets the percentage.
   *
   * @example
   * const film = await lamppost.video('Waves at night', { onProgress: (percent) => console.log(`${percent} %`) });
   * await film.save('waves.mp4');
   */
  async video(prompt: string, options: MediaOptions = {}): Promise<Medium> {
    checkMedia(options, 'video()');
    const duration = options.duration ?? (await this.#usualDuration(options));
    return this.#making.make('video()', { prompt, duration }, options);
  }

  /**
   * Starts a picture or, with a `duration`, a film, without waiting: `webhookUrl`, `events` or `jobs.wait` report its
   * end.
   *
   * @example
   * const { jobId } = await lamppost.start('Waves at night', { duration: 4, tag: 'waves' });
   * if (jobId) console.log((await lamppost.jobs.wait(jobId)).url);
   */
  async start(prompt: string, options: MediaOptions = {}): Promise<Started> {
    const { body, charge, requestId } = await this.#making.begin('start()', { prompt }, options);
    const begun = body.status === 'done' ? { url: body.url } : { jobId: body.jobId };
    return { ...begun, charge, requestId };
  }

  /**
   * Answers a question, or a conversation so far.
   *
   * @example
   * const { text, charge } = await lamppost.chat('Why are lampposts green?', { maxTokens: 200 });
   * console.log(text, charge.micro);
   */
  async chat(input: string | readonly Message[], options: ChatOptions = {}): Promise<Chat> {
    checkChat(options, 'chat()');
    const { maxTokens, temperature, reasoningEffort } = options;
    const call = {
      messages: messagesOf(input),
      model: modelOf(options),
      max_tokens: maxTokens,
      temperature,
      reasoning_effort: reasoningEffort,
    };
    const request = { ...paidRequest('/v1/agent/chat', call, options), has: 'choices' };
    const { body, charge, requestId } = await naming(request, () =>
      this.#payer.buy<Schemas['ChatAnswer']>(request, options),
    );
    const [{ message, finish_reason: finishReason } = {}] = body.choices;
    return { text: message?.content ?? '', usage: body.usage, charge, finishReason, requestId };
  }

  /**
   * Streams an answer, by key, session or the balance of a wallet; charged by tokens. Leaving the loop stops it, and
   * the text so far is charged.
   *
   * @example
   * for await (const { text, charge } of lamppost.stream('Count to five.')) {
   *   if (charge) console.log(charge.micro);
   *   else process.stdout.write(text);
   * }
   */
  async *stream(
    input: string | readonly Message[],
    options: ChatOptions = {},
  ): AsyncGenerator<ChatPiece, void> {
    checkChat(options, 'stream()');
    if (options.quoteId !== undefined)
      throw new TypeError(
        'A stream is billed by its tokens, so no quote can lock its price: use maxPriceMicro.',
      );
    const { maxTokens, temperature, reasoningEffort, maxPriceMicro, idempotencyKey, tag } = options;
    const body = {
      model: modelOf(options),
      messages: [...messagesOf(input)],
      max_tokens: maxTokens,
      temperature,
      reasoning_effort: reasoningEffort,
      maxPriceMicro,
      tag,
    };
    const how = { ...patienceOf(options), idempotencyKey };
    let finishReason: string | undefined;
    for await (const { choices, charge, usage, requestId } of this.completions.stream(body, how)) {
      const text = choices?.[0]?.delta?.content ?? '';
      finishReason = choices?.[0]?.finish_reason ?? finishReason;
      if (charge !== undefined) yield { text, charge, finishReason, requestId, ...(usage && { usage }) };
      else if (text !== '') yield { text };
    }
  }

  /**
   * The events of this payer's jobs and money, from the first one on and then as they happen. It continues until the
   * loop is left or the signal aborts, and reconnects after a network failure.
   *
   * @example
   * await lamppost.image('A lamp in the fog');
   * for await (const { type, id } of lamppost.events({ types: ['job.done'] })) {
   *   console.log(type, id); // Keep the id: `after` goes on behind it.
   *   break;
   * }
   */
  async *events<Type extends EventType = EventType>(
    filter: EventFilter<Type> = {},
  ): AsyncGenerator<Extract<LamppostEvent, { readonly type: Type }>, void> {
    checkCall(filter, 'events()', 'after', 'types');
    const { after, types } = filter;
    const headers = this.#sender.waiting(EVENT_WAIT_SECONDS, filter.timeoutMs);
    let waits: 'new' | 'known' = 'new';
    for (let cursor = after; ;) {
      const asked = Date.now();
      const query = { after: cursor, types: types?.join(',') };
      const page = await this.#api.get<Schemas['EventsAnswer']>('/v1/agent/events', {
        query,
        headers,
        has: 'events',
        waits,
        ...patienceOf(filter),
      });
      waits = 'known';
      yield* page.events as unknown as readonly Extract<LamppostEvent, { readonly type: Type }>[];
      cursor = page.nextCursor;
      // A proxy may answer at once, so the client pauses between requests.
      if (page.events.length === 0) await pause(Math.max(0, POLL_MS - (Date.now() - asked)), filter.signal);
    }
  }

  /**
   * The remaining money: the credits behind a key or a session, or the balance of the wallet.
   *
   * @example
   * const { micro } = await lamppost.balance();
   * console.log(`$${micro / 1e6}`);
   */
  async balance(options: CallOptions = {}): Promise<{ readonly micro: number }> {
    const path = this.#wallet === undefined ? '/v1/agent/balance' : `/v1/agent/x402/balance/${this.#wallet}`;
    const { balanceMicro } = await this.#api.get<{ balanceMicro: unknown }>(path, {
      has: 'balanceMicro',
      ...options,
    });
    return { micro: sureMicro(balanceMicro, 'a balance') };
  }

  /**
   * Tops up the wallet's balance with USDC, by $1 to $500. As for any payment, a budget or `maxPriceMicro` must allow
   * more than $1.
   *
   * @example
   * const payer = new Lamppost({ baseUrl, wallet, budget: { perCall: 5 } });
   * const { micro } = await payer.topUp(5);
   */
  async topUp(
    usd: number,
    options: PaidOptions = {},
  ): Promise<{ readonly micro: number; readonly charge: Charge }> {
    checkPaid(options, 'topUp()');
    if (this.#perCall === undefined)
      throw new TypeError('A wallet can be topped up; accounts top up on their pages.');
    if (!(usd >= TOP_UP_USD.min && usd <= TOP_UP_USD.max))
      throw new RangeError(`A top-up is $${TOP_UP_USD.min} to $${TOP_UP_USD.max}, and not $${usd}.`);
    const perCall = this.#perCall;
    const request = {
      ...paidRequest('/v1/agent/x402/top-up', {}, options),
      query: { usd },
      has: 'balanceMicro',
    };
    const limits = { maxPriceMicro: options.maxPriceMicro, knownMicro: Math.round(usd * 1e6) };
    const { body, charge } = await naming(request, () =>
      perCall.buy<Schemas['TopUpAnswer']>(request, limits),
    );
    return { micro: microOf(body.balanceMicro) ?? NaN, charge };
  }

  /** The default duration of a film: four seconds, or the shortest of its model. */
  async #usualDuration(options: MediaOptions): Promise<number> {
    const { image, video, signal } = options;
    const id = modelOf(options);
    if (id === undefined && image === undefined) return VIDEO_SECONDS;
    const mode = video === undefined ? 'i2v' : 'motion';
    const { models } = await this.models({ signal });
    const model = models.find((one) => (id === undefined ? one.mode === mode && one.default : one.id === id));
    const durations = model?.durations ?? [];
    return durations.includes(VIDEO_SECONDS) ? VIDEO_SECONDS : (durations[0] ?? VIDEO_SECONDS);
  }
}

/** `response` has the status and the headers. Its body belongs to the call. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: Response;
  readonly requestId: string | undefined;
}

/** The call in the form in which it is sent. `model` and `modelId` mean the same. */
export type QuoteCall = Omit<Schemas['QuoteBody'], 'modelId'> & ModelOptions;

const QUOTED = [
  'model',
  'modelId',
  'prompt',
  'duration',
  'resolution',
  'imageSize',
  'aspectRatio',
  'audio',
  'messages',
  'max_tokens',
  'payer',
] as const satisfies readonly (keyof QuoteCall)[];

const messagesOf = (input: string | readonly Message[]): readonly Message[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : input;
