import { randomBytes } from 'node:crypto';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { KeyCaller } from '../support/caller';
import type { Deployment } from './deployment';
import { MONEY } from './paying-client';

interface StreamEvent {
  readonly choices?: readonly { readonly delta: { readonly content?: string } }[];
  readonly charge?: { readonly state: string; readonly priceMicro: number };
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean };
}

/** Everything that a reader received of a stream. */
export interface Received {
  readonly status: number;
  readonly retryAfter: number;
  /** Whether it is the answer of an earlier call. */
  readonly replayed: boolean;
  readonly text: string;
  /** `cut` means that the connection broke, `open` that the stream ended without a last event. */
  readonly ended: 'done' | 'error' | 'cut' | 'open';
  readonly error?: StreamEvent['error'];
  readonly charge?: StreamEvent['charge'];
}

export interface Reading {
  readonly signal?: AbortSignal;
  readonly words?: string;
  /** The client reads the first words at once, and the rest only after this has resolved. */
  readonly pause?: Promise<void>;
}

/** The data of all complete events. The last event may have been cut off. */
const dataOf = (said: string): string[] =>
  said
    .split('\n\n')
    .slice(0, -1)
    .flatMap((event) => /^data: (.*)$/s.exec(event)?.[1] ?? []);

const receivedOf = ({ status, headers }: Response, said: string, cut: boolean): Received => {
  const streamed = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const all = streamed ? dataOf(said) : cut ? [] : [said];
  const events = all.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as StreamEvent);
  const error = events.find((event) => event.error !== undefined)?.error;
  const charge = events.find((event) => event.charge !== undefined)?.charge;
  return {
    status,
    retryAfter: Number(headers.get('retry-after')),
    replayed: headers.get('idempotent-replayed') === 'true',
    text: events.map(({ choices }) => choices?.[0]?.delta.content ?? '').join(''),
    ended: cut ? 'cut' : error !== undefined ? 'error' : all.at(-1) === '[DONE]' ? 'done' : 'open',
    ...(error && { error }),
    ...(charge && { charge }),
  };
};

/** A client that reads a stream, and sends the identical call again after a disconnect. */
export class StreamingClient {
  /** The text that it has read so far. */
  said = '';
  private readonly mark = `stream-${randomBytes(8).toString('hex')}`;

  private constructor(
    private readonly deployment: Deployment,
    private readonly caller: KeyCaller,
    private readonly credential: Readonly<Record<string, string>>,
  ) {}

  static async withKey(deployment: Deployment, money = MONEY): Promise<StreamingClient> {
    const caller = await KeyCaller.register(deployment.asWorld(), money);
    return new StreamingClient(deployment, caller, { 'x-api-key': caller.key });
  }

  static async withSession(deployment: Deployment): Promise<StreamingClient> {
    const world = deployment.asWorld();
    const caller = await KeyCaller.register(world, MONEY);
    const { origin } = new URL(world.settings.http.publicUrl);
    return new StreamingClient(deployment, caller, { cookie: caller.cookie, origin });
  }

  /** Resolves when the stream has ended in any way. */
  async read(place: number, { signal, words = 'Say hello.', pause }: Reading = {}): Promise<Received> {
    const response = await fetch(`${await this.deployment.url(place)}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': this.mark, ...this.credential },
      body: JSON.stringify({
        messages: [{ role: 'user', content: words }],
        stream: true,
        stream_options: { include_usage: true },
      }),
      ...(signal && { signal }),
    });
    let said = '';
    let cut = false;
    try {
      for await (const bytes of response.body!) {
        said += Buffer.from(bytes as Uint8Array).toString();
        this.said = said;
        await pause;
      }
    } catch {
      cut = true;
    }
    return receivedOf(response, said, cut);
  }

  /** Each of its calls, oldest first. */
  async charges(): Promise<readonly { readonly state: string; readonly price: bigint }[]> {
    const rows = await this.deployment.db.rows<{ state: string; price: string }>(
      'select state, price_micro as price from charge where payer = $1 order by created_at',
      [this.caller.accountId],
    );
    return rows.map(({ state, price }) => ({ state, price: BigInt(price) }));
  }

  /** The balance that it can spend. */
  left(): Promise<bigint> {
    const funds = this.deployment.asWorld().app.get(AccountFunds, { strict: false });
    return funds.balance(creditsAccount(this.caller.accountId));
  }
}
