import { fromBase64 } from '../wallet.ts';
import type { Check as CheckOf } from './findings.ts';

const TIMEOUT_MS = 15_000;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** A small call with a public price. */
export const PROMPT = { messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 16 };

export type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
  readonly ms: number;
}

/** A service from the view of an unknown caller. It caches answers. */
export class Patient {
  readonly base: URL;
  private readonly known = new Map<string, Promise<Answer>>();

  constructor(
    address: string,
    readonly key: string | undefined,
  ) {
    this.base = new URL(address.endsWith('/') ? address : `${address}/`);
  }

  get isHere(): boolean {
    return LOOPBACK.test(this.base.hostname);
  }

  get(path: string): Promise<Answer> {
    const known = this.known.get(path) ?? this.send(path);
    this.known.set(path, known);
    return known;
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Calls the service with a key. */
  withKey(path: string, body?: object): Promise<Answer> {
    const headers = { 'x-api-key': this.key ?? '' };
    return body === undefined ? this.send(path, { headers }) : this.post(path, body, headers);
  }

  async send(path: string, init: RequestInit = {}): Promise<Answer> {
    const began = performance.now();
    const url = new URL(path.replace(/^\//, ''), this.base);
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await answer.text();
    if (answer.status === 429)
      throw new Error(
        `the service limits calls from here for ${answer.headers.get('retry-after') ?? 'some'} seconds`,
      );
    let json: Json = {};
    try {
      json = JSON.parse(text) as Json;
    } catch {
      // An answer that is no JSON has none of the fields.
    }
    return { status: answer.status, headers: answer.headers, text, json, ms: performance.now() - began };
  }

  async isSandbox(): Promise<boolean> {
    const { sandbox = [] } = (await this.get('/v1/agent/manifest.json')).json as { sandbox?: string[] };
    return sandbox.some((part) => part.startsWith('x402'));
  }
}

interface Requirement {
  readonly scheme?: string;
  readonly network?: string;
  readonly amount?: string;
  readonly asset?: string;
  readonly payTo?: string;
  readonly maxTimeoutSeconds?: number;
  readonly extra?: { readonly name?: string; readonly version?: string };
}

export const requiredOf = ({
  headers,
}: Answer): { accepts?: readonly Requirement[]; resource?: { url?: string } } => {
  const text = headers.get('payment-required');
  return text === null ? {} : (fromBase64(text) as { accepts?: Requirement[]; resource?: { url?: string } });
};

export const codeOf = ({ json }: Answer): string | undefined =>
  (json['error'] as { code?: string } | undefined)?.code;

export type Check = CheckOf<Patient>;
