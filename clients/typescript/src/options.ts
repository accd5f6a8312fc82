import type { ListedJob, Schemas } from './answers.ts';
import type { EventType } from './events.ts';
import type { Budget, Limits } from './budget.ts';
import type { Source } from './medium.ts';
import type { LogEntry, Patience, Request, Retry } from './sender.ts';
import { refuseUnknown } from './unknown-options.ts';
import type { Signer } from './wallet.ts';

export type Message = Schemas['ChatMessageBody'];
/** What is left out is the service's default. */
export type NewDelegatedKey = Omit<Schemas['DelegatedKeyBody'], 'reserve'> & { readonly reserve?: boolean };

/** At most one of `key`, `wallet` and `session` names the payer. Without any, the client makes free calls only. */
export interface LamppostOptions {
  /** Where the service is: `https://lamppost.example`. LAMPPOST_URL when absent, and then LAMPPOST_KEY is the key. */
  readonly baseUrl?: string | undefined;
  /** A key of an account: `lp_…`. */
  readonly key?: string | undefined;
  /** What signs for a wallet, such as `privateKeyToAccount(…)` of viem. */
  readonly wallet?: Signer | undefined;
  /** How the wallet pays: USDC for each call, or from the balance that it has topped up. `x402` when absent. */
  readonly pay?: 'x402' | 'balance' | undefined;
  /** The cookie of an account that is signed in: `true` in a browser, its text elsewhere. */
  readonly session?: true | string | undefined;
  /** What may be spent, in USD. A call beyond it is refused before anything is signed or sent. A `Budget` is shared by clients. */
  readonly budget?: Limits | Budget | undefined;
  /** Tokens beside USDC that may be signed for, by their addresses. */
  readonly assets?: readonly string[] | undefined;
  /** The chain that the wallet signs in for; 8453 when absent. */
  readonly chainId?: number | undefined;
  /** The time of one try of a call. For streams and files it is the longest silence. 150,000 when absent. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is sent at most when it breaks off; 6 when absent. */
  readonly tries?: number | undefined;
  /** Told before a call is sent again, and how long that waits: a minute in all at most. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Told of each call: a line for a log of yours. */
  readonly log?: ((entry: LogEntry) => void) | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** Every call takes these. `timeoutMs`, `tries` and `onRetry` of a call override those of the client. */
export type CallOptions = Patience;

/** What every paid call takes. */
export interface PaidOptions extends CallOptions {
  /** A call that is sent again under the same key is answered again, and paid once. Made anew for each call when absent. */
  readonly idempotencyKey?: string | undefined;
  /** A price that `quote` has locked. */
  readonly quoteId?: string | undefined;
  /** Refuse the call when it would cost more, in micro-USD. */
  readonly maxPriceMicro?: number | undefined;
  /** A word of your own, which is shown on the job and the receipt: at most 64 characters. */
  readonly tag?: string | undefined;
}

/** A model by its id. */
export interface ModelOptions {
  /** The service chooses when absent. */
  readonly model?: string | undefined;
  /** The same as `model`. */
  readonly modelId?: string | undefined;
}

export interface MediaOptions extends PaidOptions, ModelOptions {
  readonly image?: Source | undefined;
  readonly image2?: Source | undefined;
  readonly video?: Source | undefined;
  readonly duration?: number | undefined;
  readonly resolution?: string | undefined;
  readonly aspectRatio?: string | undefined;
  readonly imageSize?: string | undefined;
  readonly audio?: boolean | undefined;
  readonly referenceIds?: readonly string[] | undefined;
  readonly useReferences?: boolean | undefined;
  /** Where to tell what becomes of the job: an https address, for this call alone. */
  readonly webhookUrl?: string | undefined;
  /** Told how far the work has come, in percent, while it is waited for. */
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

export interface EventFilter extends CallOptions {
  /** Where to begin: the id of an event that was read, `now`, or the oldest that is kept when absent. */
  readonly after?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
}

export interface WaitOptions extends CallOptions {
  readonly onProgress?: ((percent: number) => void) | undefined;
}

const CALL = ['signal', 'timeoutMs', 'tries', 'onRetry'] as const;
const PAID = [...CALL, 'idempotencyKey', 'quoteId', 'maxPriceMicro', 'tag'] as const;
const CLIENT = [
  'baseUrl',
  'key',
  'wallet',
  'pay',
  'session',
  'budget',
  'assets',
  'chainId',
  'timeoutMs',
  'tries',
  'onRetry',
  'log',
  'fetch',
] as const;
const MEDIA = [
  'image',
  'image2',
  'video',
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

/** Unknown options are refused before anything is sent: a misspelt limit, model or key would mean none. */
export const checkCall = (options: object, where: string, ...more: readonly string[]): void =>
  refuseUnknown(options, [...CALL, ...more], where);
export const checkPaid = (options: object, where: string, ...more: readonly string[]): void =>
  refuseUnknown(options, [...PAID, ...more], where);
export const checkMedia = (options: object, where: string): void =>
  checkPaid(options, where, 'model', 'modelId', 'onProgress', ...MEDIA);
export const checkChat = (options: object, where: string): void =>
  checkPaid(options, where, 'model', 'modelId', ...CHAT);

/** How a free route is read, and what is asked of it. */
export type ReadOptions = CallOptions & {
  readonly query?: Readonly<Record<string, string>>;
  /** It is posted. */
  readonly body?: object;
};

/** How a call is sent, out of all that was said of it. */
export const patienceOf = ({ signal, timeoutMs, tries, onRetry }: Patience): Patience => ({
  signal,
  timeoutMs,
  tries,
  onRetry,
});

export const modelOf = ({ model, modelId }: ModelOptions): string | undefined => {
  if (model !== undefined && modelId !== undefined && model !== modelId)
    throw new TypeError(`model is ${model} and modelId is ${modelId}: they mean the same, so give one.`);
  return model ?? modelId;
};

/** What other clients call these. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  url: 'baseUrl',
  token: 'key',
  timeout: 'timeoutMs',
  maxRetries: 'tries',
};

/** Says what can't be meant before anything is sent. */
export const checkOptions = (options: LamppostOptions): void => {
  for (const [name, meant] of Object.entries(OTHER_NAMES))
    if (name in options)
      throw new TypeError(`new Lamppost() takes no option "${name}". Did you mean ${meant}?`);
  refuseUnknown(options, CLIENT, 'new Lamppost()');
  const { key, wallet, session, pay, timeoutMs = 1, tries = 1 } = options;
  if ([key, wallet, session].filter((one) => one !== undefined).length > 1) {
    throw new TypeError('Give one of key, wallet and session.');
  }
  // Mostly a variable of the environment that nobody has set.
  for (const name of ['baseUrl', 'key', 'wallet', 'session'] as const) {
    if (name in options && options[name] === undefined) {
      throw new TypeError(`${name} is given, but undefined.`);
    }
  }
  if (key !== undefined && !(typeof key === 'string' && /^lp_[\w-]+$/.test(key)))
    throw new TypeError(
      'key is no key of a Lamppost service: those begin with lp_. Is it the key of another service?',
    );
  if (pay !== undefined && pay !== 'x402' && pay !== 'balance')
    throw new TypeError('pay is "x402" or "balance".');
  if (!(timeoutMs > 0 && tries >= 1)) throw new TypeError('timeoutMs and tries are above zero.');
};

interface Place {
  readonly base: URL;
  readonly key: string | undefined;
}

/** Where the service is. A key of the environment goes to the address of the environment, and to no other. */
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

/** A call that is paid once, however often it has to be sent. */
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
