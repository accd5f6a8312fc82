import type { Schemas } from './answers.ts';
import type { Api } from './api.ts';
import type { Headers, Request } from './sender.ts';

const PATH = '/v1/agent/keys';
/** The longest time for reading an answer. After it, the key expires, even if its process has died. */
const SECONDS = 900;
const END_MS = 5_000;

/** The payer of one call. It pays nothing after that call. */
export interface Loan {
  readonly headers: Headers;
  readonly end: () => Promise<void>;
}

/**
 * Keys for single calls of a wallet, because routes that charge by tokens accept only keys. Each key can pay only its
 * call. Its creation uses the idempotency key of the call, so a repeated call gets the same key and is not charged
 * twice.
 */
export class Loans {
  constructor(
    private readonly api: Api,
    private readonly proofFor: (path: string) => Promise<Headers>,
  ) {}

  async take({ headers = {}, signal }: Request, mostMicro: number): Promise<Loan> {
    const body = {
      name: 'one answer',
      limitMicro: Math.max(1, mostMicro),
      expiresInSeconds: SECONDS,
      scopes: { routes: ['studio'] },
    } satisfies Partial<Schemas['DelegatedKeyBody']>;
    const mark = headers['Idempotency-Key'] ?? crypto.randomUUID();
    const proof = { ...(await this.proofFor(PATH)), 'Idempotency-Key': mark };
    const { id, key } = await this.api.change<Schemas['NewDelegatedKeyAnswer']>('POST', PATH, body, {
      headers: proof,
      has: 'key',
      signal,
    });
    return { headers: { 'x-api-key': key }, end: () => this.end(id) };
  }

  /** Ends the key, even after an abort. If this fails, the key expires by itself. */
  private async end(id: string): Promise<void> {
    const signal = AbortSignal.timeout(END_MS);
    await this.api.change('DELETE', `${PATH}/${id}`, undefined, { signal }).catch(() => undefined);
  }
}
