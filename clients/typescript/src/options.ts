import type { ListedJob, Schemas } from './answers.ts';
import type { EventType } from './events.ts';
import type { Budget, Limits } from './budget.ts';
import type { Source } from './medium.ts';
import type { LogEntry, Patience, Request, Retry } from './sender.ts';
import { refuseUnknown } from './unknown-options.ts';
import type { Signer } from './wallet.ts';

export type Message = Schemas['ChatMessageBody'];
/** A missing option gets the service's default. */
export type NewDelegatedKey = Omit<Schemas['DelegatedKeyBody'], 'reserve'> & { readonly reserve?: boolean };

/**
 * At most one of `key`, `wallet` and `session` names the payer. Without all of them, the client can make only free
 * calls.
 */
export interface LamppostOptions {
  /**
   * The address of the service: `https://lamppost.example`. If absent, LAMPPOST_URL is the address and LAMPPOST_KEY is
   * the key.
   */
  readonly baseUrl?: string | undefined;
  /** A key of an account: `lp_…`. */
  readonly key?: string | undefined;
  /** The signer of a wallet, such as `privateKeyToAccount(…)` of viem. */
  readonly wallet?: Signer | undefined;
  /**
   * The way of paying: USDC for each call, the wallet's topped-up balance, or vouchers of a payment channel. `x402` if
   * absent.
   */
  readonly pay?: 'x402' | 'balance' | 'channel' | undefined;
  /** The most unspent USD in the channel, for `pay: 'channel'`; 1 if absent. */
  readonly deposit?: number | undefined;
  /** The cookie of a signed-in account: `true` in a browser, its text elsewhere. */
  readonly session?: true | string | undefined;
  /**
   * The limits in USD. A call beyond them is refused before anything is signed or sent. Clients can share a `Budget`.
   */
  readonly budget?: Limits | Budget | undefined;
  /**
   * The networks on which a wallet may pay in USDC, the preferred one first: `['eip155:137', 'eip155:8453']`. Base and
   * Base Sepolia if absent.
   */
  readonly networks?: readonly string[] | undefined;
  /**
   * Further tokens that may be signed for, with 6 decimals: an address on these networks, or a network with its token.
   */
  readonly assets?: readonly (string | { readonly network: string; readonly asset: string })[] | undefined;
  /** The chain id in the wallet's sign-in. If absent, it is that of the first network. */
  readonly chainId?: number | undefined;
  /** The timeout of one try. For streams and files it is the longest silence. 150,000 if absent. */
  readonly timeoutMs?: number | undefined;
  /** The most tries of a call if connections break; 6 if absent. */
  readonly tries?: number | undefined;
  /** Called before a retry, with its pause. All pauses of a call together take at most a minute. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Called for each call: a line for your log. */
  readonly log?: ((entry: LogEntry) => void) | undefined;
  /** Headers for each request to the service, such as that of a gateway. Files get none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** Options of every call. `timeoutMs`, `tries` and `onRetry` of a call override those of the client. */
export type CallOptions = Patience;

/** Options of every paid call. */
export interface PaidOptions extends CallOptions {
  /**
   * A call that is sent again with the same key gets the same answer and is charged only once. If absent, each call
   * gets a new key.
   */
  readonly idempotencyKey?: string | undefined;
  /** A price that `quote` has locked. */
  readonly quoteId?: string | undefined;
  /** Refuses the call if it would cost more, in micro-USD. */
  readonly maxPriceMicro?: number | undefined;
  /** Your own tag, which the job and the receipt show: at most 64 characters. */
  readonly tag?: string | undefined;
}

/** A model by its id. */
export interface ModelOptions {
  /** If absent, the service chooses. */
  readonly model?: string | undefined;
  /** The same as `model`. */
  readonly modelId?: string | undefined;
}

export interface MediaOptions extends PaidOptions, ModelOptions {
  readonly image?: Source | undefined;
  readonly image2?: Source | undefined;
  readonly video?: Source | undefined;
  /** Additional pictures beside `image`, for models with the capability `sources`. */
  readonly sources?: readonly Source[] | undefined;
  /** A mask: white where `image` is repainted, black where it stays. */
  readonly mask?: Source | undefined;
  /** The last picture of a film that begins with `image`. */
  readonly lastFrame?: Source | undefined;
  /** The clip that the film should continue. */
  readonly extend?: Source | undefined;
  /** The same seed tends to give the same result. */
  readonly seed?: number | undefined;
  /** A description of content that the result should not show. */
  readonly negativePrompt?: string | undefined;
  /** The number of images, for models with the capability `n`. Each costs the same. Either all are made or none. */
  readonly n?: number | undefined;
  readonly duration?: number | undefined;
  readonly resolution?: string | undefined;
  readonly aspectRatio?: string | undefined;
  readonly imageSize?: string | undefined;
  readonly audio?: boolean | undefined;
  readonly referenceIds?: readonly string[] | undefined;
  readonly useReferences?: boolean | undefined;
  /** An https address for the last event of this call's job. */
  readonly webhookUrl?: string | undefined;
  /** Called with the progress in percent during the wait. */
  readonly onProgress?: ((percent: number) => void) | undefined;
}

export interface ChatOptions extends PaidOptions, ModelOptions {
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly reasoningEffort?: 'low' | 'medium' | 'high' | undefined;
}

export interface JobFilter extends CallOptions {
  readonly status?: ListedJob['status'] | undefined;
  readonly tag?: string | undefined;
}

export interface EventFilter<Type extends EventType = EventType> extends CallOptions {
  /** The start: the id of an event, `now`, or if absent the oldest kept event. */
  readonly after?: string | undefined;
  readonly types?: readonly Type[] | undefined;
}

export interface WaitOptions extends CallOptions {
  readonly onProgress?: ((percent: number) => void) | undefined;
}

const CALL = ['signal', 'timeoutMs', 'tries', 'onRetry', 'onResponse'] as const;
const PAID = [...CALL, 'idempotencyKey', 'quoteId', 'maxPriceMicro', 'tag'] as const;
const CLIENT = [
  'baseUrl',
  'key',
  'wallet',
  'pay',
  'deposit',
  'session',
  'budget',
  'networks',
  'assets',
  'chainId',
  'timeoutMs',
  'tries',
  'onRetry',
  'log',
  'headers',
  'fetch',
] as const;
const WALLET = ['pay', 'deposit', 'networks', 'assets', 'chainId'] as const;
const MEDIA = [
  'image',
  'image2',
  'video',
  'sources',
  'mask',
  'lastFrame',
  'extend',
  'seed',
  'negativePrompt',
  'n',
  'duration',
  'resolution',
  'aspectRatio',
  'imageSize',
  'audio',
  'referenceIds',
  'useReferences',
  'webhookUrl',
] as const;
const CHAT = ['maxTokens', 'temperature', 'reasoningEffort'] as const;

/** Refuses unknown options before anything is sent, because a misspelt limit, model or key would have no effect. */
export const checkCall = (options: object, where: string, ...more: readonly string[]): void =>
  refuseUnknown(options, [...CALL, ...more], where);
export const checkPaid = (options: object, where: string, ...more: readonly string[]): void =>
  refuseUnknown(options, [...PAID, ...more], where);
export const checkMedia = (options: object, where: string): void =>
  checkPaid(options, where, 'model', 'modelId', 'onProgress', ...MEDIA);
export const checkChat = (options: object, where: string): void =>
  checkPaid(options, where, 'model', 'modelId', ...CHAT);

/** The sending options and query parameters of a free route. If there is a body, it is sent by POST. */
export type ReadOptions = CallOptions & {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** The sending options among all options of a call. */
export const patienceOf = ({ signal, timeoutMs, tries, onRetry, onResponse }: Patience): Patience => ({
  signal,
  timeoutMs,
  tries,
  onRetry,
  onResponse,
});

export const modelOf = ({ model, modelId }: ModelOptions): string | undefined => {
  if (model !== undefined && modelId !== undefined && model !== modelId)
    throw new TypeError(`model is ${model} and modelId is ${modelId}: they mean the same, so give one.`);
  return model ?? modelId;
};

/** The names that other clients use for these options. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  url: 'baseUrl',
  token: 'key',
  timeout: 'timeoutMs',
  maxRetries: 'tries',
};

/** Reports invalid values before anything is sent. */
export const checkOptions = (options: LamppostOptions): void => {
  for (const [name, meant] of Object.entries(OTHER_NAMES))
    if (name in options)
      throw new TypeError(`new Lamppost() takes no option "${name}". Did you mean ${meant}?`);
  refuseUnknown(options, CLIENT, 'new Lamppost()');
  const { key, wallet, session, pay, deposit = 1, timeoutMs = 1, tries = 1 } = options;
  if ([key, wallet, session].filter((one) => one !== undefined).length > 1) {
    throw new TypeError('Give one of key, wallet and session.');
  }
  // An empty value usually comes from an environment variable that is not set.
  for (const name of ['baseUrl', 'key', 'wallet', 'session'] as const) {
    if (name in options && options[name] === undefined) {
      throw new TypeError(`${name} is given, but undefined.`);
    }
  }
  if (key !== undefined && !(typeof key === 'string' && /^lp_[\w-]+$/.test(key)))
    throw new TypeError(
      'key is no key of a Lamppost service: those begin with lp_. Is it the key of another service?',
    );
  if (pay !== undefined && pay !== 'x402' && pay !== 'balance' && pay !== 'channel')
    throw new TypeError('pay is "x402", "balance" or "channel".');
  const stray = wallet === undefined && WALLET.find((name) => options[name] !== undefined);
  if (stray) throw new TypeError(`${stray} is an option for wallets, and no wallet is given.`);
  if (!(deposit >= 0)) throw new TypeError('deposit is an amount of USD.');
  if (!(timeoutMs > 0 && tries >= 1)) throw new TypeError('timeoutMs and tries are above zero.');
};

interface Place {
  readonly base: URL;
  readonly key: string | undefined;
}

/** The address of the service. A key from the environment is sent only to the address from the environment. */
export const placeOf = ({ baseUrl, key, wallet, session }: LamppostOptions): Place => {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } };
  const env = baseUrl === undefined ? (process?.env ?? {}) : {};
  const address = baseUrl ?? env['LAMPPOST_URL'];
  if (address === undefined || address === '')
    throw new TypeError(
      'Say where the service is: new Lamppost({ baseUrl }), or LAMPPOST_URL in the environment.',
    );
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new TypeError(
      `baseUrl is no http address: ${JSON.stringify(address)}. It is such as https://lamppost.example.`,
    );
  const isPaid = key !== undefined || wallet !== undefined || session !== undefined;
  return {
    base: new URL(address.endsWith('/') ? address : `${address}/`),
    key: isPaid ? key : env['LAMPPOST_KEY'] || undefined,
  };
};

/** The request of a paid call. It has an idempotency key, so it is charged only once, even if it is sent again. */
export const paidRequest = (path: string, body: object, options: PaidOptions): Request => {
  const { idempotencyKey = crypto.randomUUID(), quoteId, maxPriceMicro, tag } = options;
  return {
    method: 'POST',
    path,
    body: { ...body, quoteId, maxPriceMicro, tag },
    headers: { 'Idempotency-Key': idempotencyKey },
    ...patienceOf(options),
  };
};
