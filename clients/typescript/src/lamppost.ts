import type { components } from './api.types.ts';
import { Budget, type Limits } from './budget.ts';
import { Completions } from './completions.ts';
import { type ChargeState, JobFailed } from './errors.ts';
import { Medium, type Charge, type Source, toMedia } from './medium.ts';
import { type Paid, PerCall, type Payer, Prepaid, costNothing } from './payer.ts';
import { type PublicKey, isGenuine } from './proof.ts';
import { type Headers, Sender, pause } from './sender.ts';
import { SignIn, type Signer } from './wallet.ts';

export { BudgetExceeded, type ChargeState, JobFailed, LamppostError, NoAnswer } from './errors.ts';
export type { Limits } from './budget.ts';
export type { Completion, CompletionBody, CompletionOptions, CompletionPiece } from './completions.ts';
export { type WebhookMessage, type WebhookProof, isGenuineWebhook } from './proof.ts';
export { type Charge, Medium, type Source } from './medium.ts';
export type { Signer } from './wallet.ts';

type Schemas = components['schemas'];
export type Models = Schemas['ModelsAnswer'];
export type Quote = Schemas['QuoteAnswer'];
export type Job = Schemas['JobAnswer'];
export type ListedJob = Schemas['ListedJob'];
export type LamppostEvent = Schemas['EventAnswer'];
export type Receipt = Schemas['ReceiptAnswer'];
export type Reference = Schemas['ReferenceAnswer'];
export type Key = Schemas['KeyAnswer'];
export type Webhook = Schemas['WebhookAnswer'];
export type Delivery = Schemas['WebhookDeliveryAnswer'];
/** What is left out is the service's default. */
export type NewDelegatedKey = Omit<Schemas['DelegatedKeyBody'], 'reserve'> & { readonly reserve?: boolean };
export type Usage = Schemas['ChatUsage'];
export type Message = Schemas['ChatMessageBody'];

/** Exactly one of `key`, `wallet` and `session` says who pays; without any, only what is free can be asked. */
export interface LamppostOptions {
  /** Where the service is: `https://lamppost.example`. */
  readonly baseUrl: string;
  /** A key of an account: `lp_…`. */
  readonly key?: string;
  /** What signs for a wallet, such as `privateKeyToAccount(…)` of viem. */
  readonly wallet?: Signer;
  /** How the wallet pays: USDC for each call, or from the balance that it has topped up. `x402` when absent. */
  readonly pay?: 'x402' | 'balance';
  /** The cookie of an account that is signed in: `true` in a browser, its text elsewhere. */
  readonly session?: true | string;
  /** What may be spent, in USD. What is beyond it is refused before anything is signed or sent. */
  readonly budget?: Limits;
  /** Tokens beside USDC that may be signed for, by their addresses. */
  readonly assets?: readonly string[];
  /** The chain that the wallet signs in for; 8453 when absent. */
  readonly chainId?: number;
  /** How long one try of a call may take; 150,000 when absent. */
  readonly timeoutMs?: number;
  /** How often a call is sent at most when it breaks off; 6 when absent. */
  readonly tries?: number;
  readonly fetch?: typeof fetch;
}

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** What every paid call takes. */
export interface PaidOptions extends CallOptions {
  /** A call that is sent again under the same key is answered again, and paid once. Made anew for each call when absent. */
  readonly idempotencyKey?: string;
  /** A price that `quote` has locked. */
  readonly quoteId?: string;
  /** Refuse the call when it would cost more, in micro-USD. */
  readonly maxPriceMicro?: number;
  /** A word of your own, which stands on the job and the receipt: at most 64 characters. */
  readonly tag?: string;
}

export interface MediaOptions extends PaidOptions {
  readonly modelId?: string;
  readonly image?: Source;
  readonly image2?: Source;
  readonly video?: Source;
  readonly duration?: number;
  readonly resolution?: string;
  readonly aspectRatio?: string;
  readonly imageSize?: string;
  readonly audio?: boolean;
  readonly referenceIds?: readonly string[];
  readonly useReferences?: boolean;
  /** Where to tell what becomes of the job: an https address, for this call alone. */
  readonly webhookUrl?: string;
  /** Told how far the work has come, in percent, while it is waited for. */
  readonly onProgress?: (percent: number) => void;
}

export interface ChatOptions extends PaidOptions {
  readonly model?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly reasoningEffort?: 'low' | 'medium' | 'high';
}

/** What was begun: its job, or where it already is. */
export interface Started {
  readonly jobId?: string;
  readonly url?: string;
  readonly charge: Charge;
}

export interface JobFilter extends CallOptions {
  readonly status?: Job['status'];
  readonly tag?: string;
}

export interface EventFilter extends CallOptions {
  /** Where to begin: the id of an event that was read, `now`, or the oldest that is kept when absent. */
  readonly after?: string;
  readonly types?: readonly LamppostEvent['type'][];
}

export interface Chat {
  readonly text: string;
  readonly usage: Usage;
  readonly charge: Charge;
}

/** A piece of an answer that comes as it is written. The last one says what it cost. */
export interface ChatPiece {
  readonly text: string;
  readonly charge?: Charge;
}

const VIDEO_SECONDS = 4;
const WAIT_SECONDS = 30;
/** Where somebody wants to see how it goes on. */
const WATCHED_WAIT_SECONDS = 5;
const EVENT_WAIT_SECONDS = 60;
const POLL_MS = 1_000;
const REFUND_TURNS = 10;
const TIMEOUT_MS = 150_000;
/** For a film that is read as it comes. */
const READ_MS = 900_000;
const TRIES = 6;

const anonymous = (): Promise<Headers> => Promise.resolve({});

/** Images, films and text from one service, paid by one key, wallet or account. */
export class Lamppost {
  private readonly sender: Sender;
  private readonly budget: Budget;
  private readonly payer: Payer;
  private readonly perCall: PerCall | undefined;
  private readonly signIn: SignIn | undefined;
  /** Conversations as OpenAI writes them, with tools: by key or session. */
  readonly completions: Completions;

  constructor(private readonly options: LamppostOptions) {
    const { baseUrl, key, wallet, session, timeoutMs = TIMEOUT_MS, tries = TRIES } = options;
    if ([key, wallet, session].filter((one) => one !== undefined).length > 1) {
      throw new TypeError('Give one of key, wallet and session.');
    }
    // Mostly a variable of the environment that nobody has set.
    for (const name of ['baseUrl', 'key', 'wallet', 'session'] as const) {
      if (name in options && options[name] === undefined)
        throw new TypeError(`${name} is given, but undefined.`);
    }
    const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
    this.sender = new Sender(base, {
      // Called as a function, because browsers refuse their own as a method of somebody else's object.
      fetch: options.fetch ?? ((...args) => fetch(...args)),
      timeoutMs,
      tries,
      credentials: session === true ? 'include' : undefined,
    });
    this.budget = new Budget(options.budget);
    const signIn = wallet && new SignIn(wallet, base, options.chainId ?? 8_453);
    this.signIn = signIn;
    const proof = (): Promise<Headers> => {
      if (signIn !== undefined) return signIn.headers();
      if (key !== undefined) return Promise.resolve({ 'x-api-key': key });
      return typeof session === 'string'
        ? Promise.resolve({ cookie: session, origin: base.origin })
        : anonymous();
    };
    this.perCall = wallet && new PerCall(this.sender, this.budget, wallet, options.assets ?? [], proof);
    const paysPerCall = options.pay !== 'balance' && this.perCall;
    this.payer = paysPerCall || new Prepaid(this.sender, this.budget, proof);
    this.completions = new Completions(this.payer, () => this.models());
  }

  /**
   * What there is, and what it costs.
   * @example
   * const { models, textModels } = await lamppost.models();
   * console.log([...models, ...textModels].map(({ id }) => id));
   */
  models({ signal }: CallOptions = {}): Promise<Models> {
    return this.get('/v1/agent/models', { signal });
  }

  /**
   * The exact price of a call, free, and locked for a quarter of an hour: give its `quoteId` to the call.
   * @example
   * const { priceMicro, quoteId } = await lamppost.quote({ modelId: 'ember-image' });
   * if (priceMicro < 50_000) await lamppost.image('A red fox', { modelId: 'ember-image', quoteId });
   */
  async quote(call: Schemas['QuoteBody'], { signal }: CallOptions = {}): Promise<Quote> {
    const request = { method: 'POST', path: '/v1/agent/quote', body: call, signal } as const;
    return (await this.sender.json<Quote>(request)).body;
  }

  /**
   * A picture. Waits until it is made.
   * @example
   * const picture = await lamppost.image('A red fox in the snow', { aspectRatio: '16:9' });
   * await picture.save('fox.png');
   */
  image(prompt: string, options: MediaOptions = {}): Promise<Medium> {
    return this.make({ prompt }, options);
  }

  /**
   * A film. Waits until it is made, which takes minutes: `onProgress` is told how far it is.
   * @example
   * const film = await lamppost.video('Waves at night', { onProgress: (percent) => console.log(`${percent} %`) });
   * await film.save('waves.mp4');
   */
  video(prompt: string, options: MediaOptions = {}): Promise<Medium> {
    return this.make({ prompt, duration: VIDEO_SECONDS }, options);
  }

  /**
   * Begins a picture or, with a `duration`, a film, and does not wait: `webhookUrl`, `events` or `jobs.wait` tell of its end.
   * @example
   * const { jobId } = await lamppost.start('Waves at night', { duration: 4, tag: 'waves' });
   * if (jobId) console.log((await lamppost.jobs.wait(jobId)).url);
   */
  async start(prompt: string, options: MediaOptions = {}): Promise<Started> {
    const { body, charge } = await this.begin({ prompt }, options);
    return body.status === 'done' ? { url: body.url, charge } : { jobId: body.jobId, charge };
  }

  /**
   * An answer to a question, or to a conversation so far.
   * @example
   * const { text, charge } = await lamppost.chat('Why are lampposts green?', { maxTokens: 200 });
   * console.log(text, charge.micro);
   */
  async chat(input: string | readonly Message[], options: ChatOptions = {}): Promise<Chat> {
    const { model, maxTokens, temperature, reasoningEffort, ...rest } = options;
    const { body, charge } = await this.buy<Schemas['ChatAnswer']>(
      '/v1/agent/chat',
      {
        messages: messagesOf(input),
        model,
        max_tokens: maxTokens,
        temperature,
        reasoning_effort: reasoningEffort,
      },
      rest,
    );
    return { text: body.choices[0]?.message.content ?? '', usage: body.usage, charge };
  }

  /**
   * The same as it is written, by key or session; billed by tokens. Leaving the loop stops it, and pays what was said.
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
    const { model, maxTokens, temperature, reasoningEffort, signal, idempotencyKey, tag } = options;
    const body = {
      model,
      messages: [...messagesOf(input)],
      max_tokens: maxTokens,
      temperature,
      reasoning_effort: reasoningEffort,
      tag,
    };
    for await (const { choices, charge } of this.completions.stream(body, { signal, idempotencyKey })) {
      const text = choices?.[0]?.delta.content ?? '';
      if (charge !== undefined) yield { text, charge };
      else if (text !== '') yield { text };
    }
  }

  /**
   * What happens to this key's, account's or wallet's jobs and money, from the first on and then as it happens: it goes on
   * until the loop is left or the signal says so, and resumes by itself where the network breaks.
   * @example
   * await lamppost.image('A lamp in the fog');
   * for await (const { type, id } of lamppost.events({ types: ['job.done'] })) {
   *   console.log(type, id); // Keep the id: `after` goes on behind it.
   *   break;
   * }
   */
  async *events({ after, types, signal }: EventFilter = {}): AsyncGenerator<LamppostEvent, void> {
    const headers = { Prefer: `wait=${EVENT_WAIT_SECONDS}` };
    for (let cursor = after; ;) {
      const query = { after: cursor, types: types?.join(',') };
      const page = await this.get<Schemas['EventsAnswer']>('/v1/agent/events', { query, headers, signal });
      yield* page.events;
      cursor = page.nextCursor;
    }
  }

  /**
   * What is left: the credits behind a key or a session, or the balance of the wallet.
   * @example
   * const { micro } = await lamppost.balance();
   * console.log(`$${micro / 1e6}`);
   */
  async balance({ signal }: CallOptions = {}): Promise<{ readonly micro: number }> {
    const { wallet } = this.options;
    const path = wallet === undefined ? '/v1/agent/balance' : `/v1/agent/x402/balance/${wallet.address}`;
    const { balanceMicro } = await this.get<{ balanceMicro: number }>(path, { signal });
    return { micro: balanceMicro };
  }

  /**
   * Pays into the balance of the wallet, in USDC; $1 to $500.
   * @example
   * const payer = new Lamppost({ baseUrl, wallet, budget: { perCall: 5 } });
   * const { micro } = await payer.topUp(5);
   */
  async topUp(
    usd: number,
    options: PaidOptions = {},
  ): Promise<{ readonly micro: number; readonly charge: Charge }> {
    if (this.perCall === undefined)
      throw new TypeError('A wallet can be topped up; accounts top up on their pages.');
    const request = this.requestOf('/v1/agent/x402/top-up', {}, options);
    const { body, charge } = await this.perCall.buy<Schemas['TopUpAnswer']>(
      { ...request, query: { usd } },
      usd * 1e6,
    );
    return { micro: body.balanceMicro, charge };
  }

  readonly jobs = {
    /**
     * How it stands with it.
     * @example
     * const { jobId } = await lamppost.start('Waves at night', { duration: 4 });
     * if (jobId) console.log((await lamppost.jobs.get(jobId)).status);
     */
    get: (id: string, { signal }: CallOptions = {}): Promise<Job> => this.get(jobPath(id), { signal }),

    /**
     * Those of this key, account or wallet, the newest first, page by page as they are read.
     * @example
     * for await (const { id, status } of lamppost.jobs.list({ tag: 'waves' })) console.log(id, status);
     */
    list: (filter: JobFilter = {}): AsyncGenerator<ListedJob, void> => this.listJobs(filter),

    /**
     * Stops it and gives its money back, where that is not too late: `CANCEL_TOO_LATE`.
     * @example
     * const { jobId } = await lamppost.start('A very long film', { duration: 4 });
     * if (jobId) await lamppost.jobs.cancel(jobId);
     */
    cancel: (id: string): Promise<ListedJob> => this.change('POST', `${jobPath(id)}/cancel`),

    /**
     * Waits until it has ended, done or failed.
     * @example
     * const { jobId } = await lamppost.start('Waves at night', { duration: 4 });
     * if (jobId) console.log((await lamppost.jobs.wait(jobId, { signal: AbortSignal.timeout(600_000) })).url);
     */
    wait: async (
      id: string,
      { signal, onProgress }: Pick<MediaOptions, 'signal' | 'onProgress'> = {},
    ): Promise<Job> => {
      const seconds = onProgress === undefined ? WAIT_SECONDS : WATCHED_WAIT_SECONDS;
      for (;;) {
        const asked = Date.now();
        const headers = { Prefer: `wait=${seconds}` };
        const job = await this.get<Job>(jobPath(id), { signal, headers });
        if (job.progress !== undefined) onProgress?.(job.progress);
        if (job.status !== 'running') return job;
        // Where something in between answers at once, it is not asked without a pause.
        await pause(Math.max(0, POLL_MS - (Date.now() - asked)), signal);
      }
    },
  };

  readonly references = {
    /**
     * Stores an image or a clip, to be used in later calls by its id or by what it shows.
     * @example
     * const fox = await lamppost.image('A red fox');
     * const { id } = await lamppost.references.store(await fox.blob(), { label: 'a red fox' });
     * await lamppost.image('The fox in the rain', { modelId: 'ember-edit', referenceIds: [id] });
     */
    store: async (
      source: Source,
      { label, signal }: CallOptions & { label?: string } = {},
    ): Promise<Reference> => {
      const { body } = await this.sender.json<Schemas['StoredReferenceAnswer']>({
        method: 'POST',
        path: '/v1/agent/references',
        body: { media: await toMedia(source), label },
        headers: { ...(await this.payer.credential()), 'Idempotency-Key': crypto.randomUUID() },
        signal,
      });
      return body.asset;
    },
    /**
     * Those that are stored.
     * @example
     * for (const { id, label } of await lamppost.references.list()) console.log(id, label);
     */
    list: async ({ signal }: CallOptions = {}): Promise<readonly Reference[]> =>
      (await this.get<Schemas['ReferencesAnswer']>('/v1/agent/references', { signal })).refs,
    /**
     * The closest first.
     * @example
     * const [closest] = await lamppost.references.search('a red animal', { limit: 1 });
     */
    search: async (
      q: string,
      { limit, signal }: CallOptions & { limit?: number } = {},
    ): Promise<Schemas['MatchedReferencesAnswer']['refs']> =>
      (
        await this.get<Schemas['MatchedReferencesAnswer']>('/v1/agent/references/search', {
          query: { q, limit },
          signal,
        })
      ).refs,
    /**
     * It is used no more, and its bytes are deleted.
     * @example
     * const { id } = await lamppost.references.store(await (await lamppost.image('A lamp')).blob());
     * await lamppost.references.delete(id);
     */
    delete: async (id: string, { signal }: CallOptions = {}): Promise<void> => {
      const headers = await this.payer.credential();
      const path = `/v1/agent/references/${encodeURIComponent(id)}`;
      await this.sender.json({ method: 'DELETE', path, headers, signal });
    },
  };

  readonly receipts = {
    /**
     * What became of a charge; signed by the service once it is settled.
     * @example
     * const { charge } = await lamppost.chat('Hello.');
     * const { state, priceMicro } = await lamppost.receipts.get(charge.id);
     */
    get: (id: string, { signal }: CallOptions = {}): Promise<Receipt> =>
      this.get(`/v1/agent/charges/${encodeURIComponent(id)}`, { signal }),
    /**
     * Whether the service has truly signed it.
     * @example
     * const { charge } = await lamppost.chat('Hello.');
     * const receipt = await lamppost.receipts.get(charge.id);
     * if (!(await lamppost.receipts.verify(receipt))) throw new Error('Somebody has changed it.');
     */
    verify: async (receipt: Receipt): Promise<boolean> => {
      const { keys } = await this.get<{ keys: readonly PublicKey[] }>('/.well-known/jwks.json');
      return isGenuine(receipt, keys);
    },
  };

  /** Who is told of events by a call of theirs, signed: see `isGenuineWebhook`. */
  readonly webhooks = {
    /**
     * Those that are told.
     * @example
     * for (const { url, enabled } of await lamppost.webhooks.list()) console.log(url, enabled);
     */
    list: async ({ signal }: CallOptions = {}): Promise<readonly Webhook[]> =>
      (await this.get<Schemas['WebhooksAnswer']>('/v1/agent/webhooks', { signal })).webhooks,
    /**
     * Its `secret` is shown this once.
     * @example
     * const { id, secret } = await lamppost.webhooks.create({ url: 'https://agent.example/hook', types: ['job.done'] });
     */
    create: (body: Schemas['NewWebhookBody']): Promise<Schemas['WebhookWithSecretAnswer']> =>
      this.change('POST', '/v1/agent/webhooks', body),
    /**
     * Another address, other types, or whether it is told at all.
     * @example
     * await lamppost.webhooks.update(webhookId, { types: ['job.done', 'job.failed'], enabled: true });
     */
    update: (id: string, body: Schemas['WebhookChangeBody']): Promise<Webhook> =>
      this.change('PATCH', webhookPath(id), body),
    /**
     * It is told of nothing any more.
     * @example
     * const { id } = await lamppost.webhooks.create({ url: 'https://agent.example/hook' });
     * await lamppost.webhooks.delete(id);
     */
    delete: async (id: string): Promise<void> => {
      await this.change('DELETE', webhookPath(id));
    },
    /**
     * A new secret; the old one signs, too, for as long as `overlapSeconds` says.
     * @example
     * const { secret } = await lamppost.webhooks.rotate(webhookId, { overlapSeconds: 86_400 });
     */
    rotate: (id: string, body: Schemas['RotateWebhookBody']): Promise<Schemas['WebhookWithSecretAnswer']> =>
      this.change('POST', `${webhookPath(id)}/rotate`, body),
    /**
     * Sends a message that says nothing, and answers what the receiver said.
     * @example
     * const { delivered, status } = await lamppost.webhooks.test(webhookId);
     */
    test: (id: string): Promise<Schemas['WebhookTestAnswer']> =>
      this.change('POST', `${webhookPath(id)}/test`),
    /**
     * What was sent to it lately, and what it answered.
     * @example
     * for (const { type, state, tries } of await lamppost.webhooks.deliveries(webhookId)) console.log(type, state, tries);
     */
    deliveries: async (id: string, { signal }: CallOptions = {}): Promise<readonly Delivery[]> =>
      (await this.get<Schemas['WebhookDeliveriesAnswer']>(`${webhookPath(id)}/deliveries`, { signal }))
        .deliveries,
    /**
     * Sends an event again, once more and at once.
     * @example
     * for (const { eventId, state } of await lamppost.webhooks.deliveries(webhookId)) {
     *   if (state !== 'pending') await lamppost.webhooks.replay(webhookId, eventId);
     * }
     */
    replay: (id: string, eventId: string): Promise<Delivery> =>
      this.change('POST', `${webhookPath(id)}/deliveries/${encodeURIComponent(eventId)}/replay`),
  };

  /** The keys of an account; a session manages them. */
  readonly keys = {
    /**
     * Those of the account.
     * @example
     * const account = new Lamppost({ baseUrl, session });
     * for (const { name, prefix } of await account.keys.list()) console.log(name, prefix);
     */
    list: async ({ signal }: CallOptions = {}): Promise<readonly Key[]> =>
      (await this.get<Schemas['KeysAnswer']>('/v1/account/keys', { signal })).keys,
    /**
     * Its `key` is shown this once.
     * @example
     * const account = new Lamppost({ baseUrl, session });
     * const { key } = await account.keys.create({ name: 'a bot', expiresInDays: 30, spendLimitMicro: 5_000_000 });
     */
    create: (body: Schemas['NewKeyBody']): Promise<Schemas['NewKeyAnswer']> =>
      this.change('POST', '/v1/account/keys', body),
    /**
     * Another name, limit or end, or whether it is good at all.
     * @example
     * const account = new Lamppost({ baseUrl, session });
     * const { id } = await account.keys.create({ name: 'a bot', expiresInDays: 30 });
     * await account.keys.update(id, { enabled: false });
     */
    update: (id: string, body: Schemas['KeyChangeBody']): Promise<Key> =>
      this.change('PATCH', `/v1/account/keys/${encodeURIComponent(id)}`, body),
    /**
     * Ends it, and all that it has handed on, at once.
     * @example
     * const account = new Lamppost({ baseUrl, session });
     * const { id } = await account.keys.create({ name: 'a bot', expiresInDays: 30 });
     * await account.keys.delete(id);
     */
    delete: async (id: string): Promise<void> => {
      await this.change('DELETE', `/v1/account/keys/${encodeURIComponent(id)}`);
    },
  };

  /** Keys for others, who spend a part of the money of this key, account or wallet, for a while. */
  readonly delegated = {
    /**
     * Its `key` is shown this once. What it may spend counts against the budget as if it were spent.
     * @example
     * const { key } = await lamppost.delegated.create({ limitMicro: 100_000, expiresInSeconds: 3_600 });
     * const helper = new Lamppost({ baseUrl, key });
     */
    create: async (body: NewDelegatedKey): Promise<Schemas['NewDelegatedKeyAnswer']> => {
      const path = '/v1/agent/keys';
      this.budget.take(body.limitMicro);
      const proof = await this.signIn
        ?.headersFor(this.sender.urlOf({ path }).href)
        .catch((error: unknown) => {
          this.budget.giveBack(body.limitMicro);
          throw error;
        });
      try {
        return await this.change('POST', path, body, proof);
      } catch (error) {
        if (costNothing(error)) this.budget.giveBack(body.limitMicro);
        throw error;
      }
    },
    /**
     * Those that were handed on from here, and those below them.
     * @example
     * for (const { name, spentMicro } of await lamppost.delegated.list()) console.log(name, spentMicro);
     */
    list: async ({ signal }: CallOptions = {}): Promise<Schemas['DelegatedKeysAnswer']['keys']> =>
      (await this.get<Schemas['DelegatedKeysAnswer']>('/v1/agent/keys', { signal })).keys,
    /**
     * Ends it, and all that it has handed on, at once.
     * @example
     * const { id } = await lamppost.delegated.create({ limitMicro: 100_000, expiresInSeconds: 3_600 });
     * await lamppost.delegated.delete(id);
     */
    delete: async (id: string): Promise<void> => {
      await this.change('DELETE', `/v1/agent/keys/${encodeURIComponent(id)}`);
    },
  };

  private async *listJobs({ status, tag, signal }: JobFilter): AsyncGenerator<ListedJob, void> {
    for (let cursor: string | undefined; ;) {
      const query = { status, tag, cursor };
      const page = await this.get<Schemas['OwnJobsAnswer']>('/v1/agent/jobs', { query, signal });
      yield* page.jobs;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  private async begin(
    call: object,
    { onProgress: _, image, image2, video, ...rest }: MediaOptions,
  ): Promise<Paid<Schemas['MediaDoneAnswer'] | Schemas['MediaRunningAnswer']>> {
    const { signal, idempotencyKey, quoteId, maxPriceMicro, tag, ...wishes } = rest;
    const sources = Object.entries({ image, image2, video }).filter(([, source]) => source !== undefined);
    const media = await Promise.all(sources.map(async ([name, source]) => [name, await toMedia(source!)]));
    const body = { ...call, ...wishes, ...Object.fromEntries(media) } as object;
    return this.buy('/v1/agent/generate', body, { signal, idempotencyKey, quoteId, maxPriceMicro, tag });
  }

  private async make(call: object, options: MediaOptions): Promise<Medium> {
    const { signal, onProgress } = options;
    const paid = await this.begin(call, options);
    const made = (url: string, jobId?: string): Medium =>
      new Medium(url, paid.charge, jobId, (address) =>
        this.sender.open({ method: 'GET', path: address, signal, follows: true, timeoutMs: READ_MS }),
      );
    if (paid.body.status === 'done') return made(paid.body.url);
    const { jobId } = paid.body;
    const job = await this.jobs.wait(jobId, { signal, onProgress });
    if (job.url !== undefined) return made(job.url, jobId);
    const chargeState = await this.fateOf(jobId, job, signal);
    if (chargeState === 'refunded') this.budget.giveBack(paid.charge.micro);
    throw new JobFailed(jobId, job.error, chargeState);
  }

  /** The money of a job that failed comes back a moment after the job is seen to have failed, where it comes back. */
  private async fateOf(id: string, failed: Job, signal: AbortSignal | undefined): Promise<ChargeState> {
    let { chargeState } = failed;
    for (let turn = 0; chargeState === 'charged' && turn < REFUND_TURNS; turn += 1) {
      await pause(POLL_MS, signal);
      ({ chargeState } = await this.jobs.get(id, { signal }));
    }
    return chargeState;
  }

  private buy<Body>(
    path: string,
    body: object,
    options: PaidOptions,
  ): Promise<{ body: Body; charge: Charge }> {
    return this.payer.buy<Body>(this.requestOf(path, body, options), options.maxPriceMicro);
  }

  private requestOf(path: string, body: object, options: PaidOptions) {
    const { signal, idempotencyKey = crypto.randomUUID(), quoteId, maxPriceMicro, tag } = options;
    return {
      method: 'POST',
      path,
      body: { ...body, quoteId, maxPriceMicro, tag },
      headers: { 'Idempotency-Key': idempotencyKey },
      signal,
    } as const;
  }

  private async get<Body>(
    path: string,
    more: CallOptions & {
      query?: Readonly<Record<string, string | number | undefined>>;
      headers?: Headers;
    } = {},
  ): Promise<Body> {
    const headers = { ...(await this.payer.credential()), ...more.headers };
    return (await this.sender.json<Body>({ method: 'GET', path, ...more, headers })).body;
  }

  private async change<Body>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    proof?: Headers,
  ): Promise<Body> {
    const headers = { ...(proof ?? (await this.payer.credential())), 'Idempotency-Key': crypto.randomUUID() };
    return (await this.sender.json<Body>({ method, path, body, headers })).body;
  }
}

const jobPath = (id: string): string => `/v1/agent/jobs/${encodeURIComponent(id)}`;

const webhookPath = (id: string): string => `/v1/agent/webhooks/${encodeURIComponent(id)}`;

const messagesOf = (input: string | readonly Message[]): readonly Message[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : input;
