import type { LamppostEvent, ListedJob, Schemas } from './answers.ts';
import type { Budget, Limits } from './budget.ts';
import type { Source } from './medium.ts';
import type { Request } from './sender.ts';
import type { Signer } from './wallet.ts';

export type Message = Schemas['ChatMessageBody'];
/** What is left out is the service's default. */
export type NewDelegatedKey = Omit<Schemas['DelegatedKeyBody'], 'reserve'> & { readonly reserve?: boolean };

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
  /** What may be spent, in USD. A call beyond it is refused before anything is signed or sent. A `Budget` is shared by clients. */
  readonly budget?: Limits | Budget;
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

export interface JobFilter extends CallOptions {
  readonly status?: ListedJob['status'];
  readonly tag?: string;
}

export interface EventFilter extends CallOptions {
  /** Where to begin: the id of an event that was read, `now`, or the oldest that is kept when absent. */
  readonly after?: string;
  readonly types?: readonly LamppostEvent['type'][];
}

/** Says what can't be meant before anything is sent. */
export const checkOptions = (options: LamppostOptions): void => {
  const { key, wallet, session } = options;
  if ([key, wallet, session].filter((one) => one !== undefined).length > 1) {
    throw new TypeError('Give one of key, wallet and session.');
  }
  // Mostly a variable of the environment that nobody has set.
  for (const name of ['baseUrl', 'key', 'wallet', 'session'] as const) {
    if (name in options && options[name] === undefined) {
      throw new TypeError(`${name} is given, but undefined.`);
    }
  }
};

/** A call that is paid once, however often it has to be sent. */
export const paidRequest = (path: string, body: object, options: PaidOptions): Request => {
  const { signal, idempotencyKey = crypto.randomUUID(), quoteId, maxPriceMicro, tag } = options;
  return {
    method: 'POST',
    path,
    body: { ...body, quoteId, maxPriceMicro, tag },
    headers: { 'Idempotency-Key': idempotencyKey },
    signal,
  };
};
