import { type JsonWebKey, createPublicKey, verify } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem/accounts';
import { createSiweMessage, generateSiweNonce } from 'viem/siwe';

export interface MediaModel {
  readonly id: string;
  readonly name: string;
  readonly mode: 't2i' | 'i2i' | 't2v' | 'i2v' | 'swap' | 'motion';
  readonly durations: readonly number[];
  readonly pricing: {
    readonly unit: 'image' | 'second';
    readonly priceMicro: Readonly<Record<string, number>>;
  };
}

export interface TextModel {
  readonly id: string;
  readonly name: string;
  readonly chatInputUsdPerMtok: string;
  readonly chatOutputUsdPerMtok: string;
}

export interface Quote {
  readonly modelId: string;
  readonly priceMicro: number;
  readonly quoteId: string;
  readonly expiresAt: string;
}

/** What every paid call may say about its price. */
interface Price {
  /** Pay exactly what this quote said. */
  readonly quoteId?: string;
  /** Refuse the call when it would cost more. */
  readonly maxPriceMicro?: number;
  /** The wallet that will pay with x402: its volume tier applies. */
  readonly payer?: string;
}

export interface GenerateCall extends Price {
  readonly prompt: string;
  readonly modelId?: string;
  readonly image?: string;
  readonly duration?: number;
  readonly resolution?: string;
  readonly aspectRatio?: string;
}

export interface ChatCall extends Price {
  readonly messages: readonly { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }[];
  readonly model?: string;
  readonly max_tokens?: number;
}

export interface ChatAnswer {
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

export interface Job {
  readonly status: 'running' | 'done' | 'failed';
  readonly url?: string;
  readonly error?: string;
  readonly chargeState: string;
}

type Generated =
  | { readonly status: 'done'; readonly url: string }
  | { readonly status: 'running'; readonly jobId: string; readonly poll: string };

export interface Receipt {
  readonly id: string;
  readonly state: 'held' | 'settling' | 'charged' | 'refunded' | 'released';
  readonly rail: 'x402' | 'wallet' | 'api-key';
  readonly priceMicro: number;
  readonly jws: string;
}

/** An answer, with the id of what it cost. */
export type Paid<Body> = Body & { readonly chargeId: string };

/** A refusal: `code` is for programs, and `fix` is the body that would have been right, where one change helps. */
export class LamppostError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryable: boolean,
    readonly fix?: object,
  ) {
    super(message);
    this.name = 'LamppostError';
  }
}

/** A fetch that also pays. */
type PayingFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Spends the credits of the account that the key acts for. */
export const byKey =
  (key: string): PayingFetch =>
  (url, init) =>
    fetch(url, { ...init, headers: { ...init.headers, 'x-api-key': key } });

/** Pays each call in USDC. Stock clients refuse more than $1 by themselves, so say what you are ready to pay. */
export const byX402 = (account: PrivateKeyAccount, maxUsd: number): PayingFetch => {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account));
  client.setSpendControls({ maxAmountPerPayment: `$${maxUsd}` });
  return wrapFetchWithPayment(fetch, client);
};

/** Spends the prepaid balance of a wallet. `domain` is the service's own; a message is good for five minutes. */
export const byBalance =
  (account: PrivateKeyAccount, domain: string): PayingFetch =>
  async (url, init) => {
    const message = createSiweMessage({
      address: account.address,
      chainId: 8453,
      domain,
      nonce: generateSiweNonce(),
      statement: 'Pay from the balance of this wallet.',
      uri: new URL(url).origin,
      version: '1',
    });
    const signature = await account.signMessage({ message });
    const header = Buffer.from(JSON.stringify({ message, signature })).toString('base64');
    return fetch(url, { ...init, headers: { ...init.headers, 'Sign-In-With-X': header } });
  };

/** A small client of the agent API. What it is given decides how calls are paid. */
export class Lamppost {
  constructor(
    private readonly base: string,
    private readonly pay: PayingFetch = fetch,
  ) {}

  models(): Promise<{ readonly models: readonly MediaModel[]; readonly textModels: readonly TextModel[] }> {
    return this.get('/v1/agent/models');
  }

  /** The exact price of a call, free, and locked for a quarter of an hour. */
  async quote(call: Readonly<Record<string, unknown>> & { readonly modelId: string }): Promise<Quote> {
    return read(await fetch(`${this.base}/v1/agent/quote`, json(call)));
  }

  chat(call: ChatCall): Promise<Paid<ChatAnswer>> {
    return this.buy('/v1/agent/chat', call);
  }

  generate(call: GenerateCall): Promise<Paid<Generated>> {
    return this.buy('/v1/agent/generate', call);
  }

  /** Pays into the wallet's balance; only `byX402` can. */
  topUp(usd: number): Promise<Paid<{ readonly wallet: string; readonly balanceMicro: number }>> {
    return this.buy(`/v1/agent/x402/top-up?usd=${usd}`, {});
  }

  job(id: string): Promise<Job> {
    return this.get(`/v1/agent/jobs/${id}`);
  }

  /** Polls until the job has ended, which is free. */
  async ended(id: string): Promise<Job> {
    for (;;) {
      const job = await this.job(id);
      if (job.status !== 'running') return job;
      await pause(500);
    }
  }

  receipt(chargeId: string): Promise<Receipt> {
    return this.get(`/v1/agent/charges/${chargeId}`);
  }

  /** Whether the service truly signed this receipt: a detached JWS over it without `jws`, keys sorted, no spaces. */
  async isGenuine({ jws, ...receipt }: Receipt): Promise<boolean> {
    const [head = '', , signature = ''] = jws.split('.');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    const { keys } = await this.get<{ keys: (JsonWebKey & { kid: string })[] }>('/.well-known/jwks.json');
    const key = keys.find((one) => one.kid === kid);
    if (key === undefined) return false;
    const sorted = JSON.stringify(
      Object.fromEntries(Object.entries(receipt).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    const signed = Buffer.from(`${head}.${Buffer.from(sorted).toString('base64url')}`);
    return verify(null, signed, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url'));
  }

  private async get<Body>(path: string): Promise<Body> {
    return read(await fetch(this.base + path));
  }

  /** With a mark of its own a call that is sent again, after a lost answer, is still charged once. */
  private async buy<Body>(path: string, call: object): Promise<Paid<Body>> {
    const request = json(call, { 'Idempotency-Key': crypto.randomUUID() });
    const response = await this.pay(this.base + path, request);
    return { ...(await read<Body>(response)), chargeId: response.headers.get('x-charge-id') ?? '' };
  }
}

const json = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

interface Envelope {
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean };
  readonly fix?: object;
}

const read = async <Body>(response: Response): Promise<Body> => {
  const body = (await response.json()) as Body | Envelope;
  if (response.ok) return body as Body;
  const { error, fix } = body as Envelope;
  throw new LamppostError(response.status, error.code, error.message, error.retryable, fix);
};
