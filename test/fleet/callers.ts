import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { WalletCaller } from '../support/caller';
import { readEvents } from '../support/event-reader';

/** The failures of a call, including the error of the network. */
const wordsOf = (error: unknown): string => {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  return [error, cause?.code, cause?.message]
    .filter((part) => part !== undefined)
    .map(String)
    .join(' ');
};

type Headers = Readonly<Record<string, string>>;

/** The ends of all calls, counted by kind and end. */
export class Tally {
  private readonly counts = new Map<string, number>();
  /** Violations, with the details for finding their cause. */
  readonly broken: string[] = [];
  /** The charges in the answers, with their prices. */
  readonly reported = new Map<string, number>();

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  fail(what: string): void {
    this.count('broken');
    this.broken.push(what);
  }

  toString(): string {
    return [...this.counts]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([what, times]) => `  ${what.padEnd(44)} ${times}`)
      .join('\n');
  }
}

/** An account with a key and money, made through the API and by an operator. */
export const newCaller = async (base: string, adminToken: string, usd = 50): Promise<KeyHolder> => {
  const email = `${randomBytes(6).toString('hex')}@example.test`;
  const send = (path: string, body: object, headers: Headers = {}): Promise<Response> =>
    fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: base, ...headers },
      body: JSON.stringify(body),
    });
  const account = await send('/v1/account/register', { email, password: 'correct horse battery' });
  const cookie = String(account.headers.get('set-cookie')).split(';')[0] ?? '';
  const { id } = (await account.json()) as { id: string };
  const made = await send('/v1/account/keys', { name: 'fleet', expiresInDays: 30 }, { cookie });
  const { key } = (await made.json()) as { key: string };
  const given = await send(
    `/v1/admin/accounts/${id}/credit`,
    { amountMicro: usd * 1_000_000, reason: 'the fleet' },
    { authorization: `Bearer ${adminToken}` },
  );
  if (!given.ok) throw new Error(`No credits: ${await given.text()}`);
  return new KeyHolder(base, id, key);
};

/** A caller with a key, which counts the end of each call. It never repeats a broken call. */
export class KeyHolder {
  constructor(
    private readonly base: string,
    readonly id: string,
    readonly key: string,
  ) {}

  private post(
    path: string,
    body: object,
    mark = randomBytes(9).toString('base64url'),
    secondsMax = 90,
  ): Promise<Response> {
    return fetch(this.base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': this.key, 'idempotency-key': mark },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(secondsMax * 1_000),
    });
  }

  /** Makes a chat call and repeats it: any process must return the first answer. */
  async chat(tally: Tally): Promise<void> {
    const mark = randomBytes(9).toString('base64url');
    const body = { messages: [{ role: 'user', content: `Say ${mark}.` }], max_tokens: 32 };
    const first = await this.asked(tally, 'chat', this.post('/v1/agent/chat', body, mark));
    if (first?.status !== 200) return;
    const again = await this.asked(tally, 'chat again', this.post('/v1/agent/chat', body, mark));
    const same =
      again?.headers.get('x-charge-id') === first.headers.get('x-charge-id') && again?.text === first.text;
    if (again !== undefined && !same)
      tally.fail(`a repeated call was another one: ${first.text} ${again.text}`);
  }

  async image(tally: Tally): Promise<number> {
    const answer = await this.asked(
      tally,
      'image',
      this.post('/v1/agent/generate', { prompt: `A lamp, ${randomBytes(4).toString('hex')}` }),
    );
    return answer?.status ?? 0;
  }

  /** Makes a film, waits for it by long polls of any process, and downloads it. */
  async film(tally: Tally): Promise<void> {
    const answer = await this.asked(
      tally,
      'film',
      this.post('/v1/agent/generate', { prompt: 'A lamp [[delay 4s]]', duration: 4 }),
    );
    if (answer?.status !== 200) return;
    const { jobId } = JSON.parse(answer.text) as { jobId: string };
    for (const until = Date.now() + 120_000; Date.now() < until;) {
      const polled = await this.asked(
        tally,
        'film poll',
        fetch(`${this.base}/v1/agent/jobs/${jobId}`, {
          headers: { 'x-api-key': this.key, prefer: 'wait=20' },
        }),
      );
      if (polled?.status !== 200) return;
      const job = JSON.parse(polled.text) as { status: string; url?: string };
      if (job.status === 'running') continue;
      tally.count(`film ${job.status}`);
      if (job.url === undefined) return;
      const medium = await fetch(job.url);
      const { byteLength } = await medium.arrayBuffer();
      if (medium.status !== 200 || byteLength === 0)
        tally.fail(`a medium answers ${medium.status}: ${job.url}`);
      return;
    }
    tally.fail(`a film never ended: ${jobId}`);
  }

  /** A streamed completion must end with its charge or with an event about the failure, and never in the middle. */
  async stream(tally: Tally): Promise<void> {
    const body = {
      model: 'lumen-flash',
      stream: true,
      messages: [{ role: 'user', content: 'Tell me a long story. [[tokens 400]] [[delay 2s]]' }],
      max_tokens: 500,
    };
    try {
      const response = await this.post('/v1/chat/completions', body);
      const text = await response.text();
      if (response.status !== 200) return tally.count(`stream ${response.status}`);
      if (/data: \[DONE\]\s*$/.test(text)) tally.count('stream done');
      else if (text.includes('"error"')) tally.count('stream ended by an error event');
      else tally.fail(`a stream ended in the middle: ${text.slice(-200)}`);
    } catch (error) {
      tally.fail(`stream: ${wordsOf(error)}`);
    }
  }

  /** A stream that is longer than any restart. Resolves after its first words, with a promise of its end. */
  async endlessStream(): Promise<EndlessStream> {
    const content = 'Tell me a story without an end. [[tokens 2800]] [[pace 0.1s]]';
    const body = { stream: true, messages: [{ role: 'user', content }], max_tokens: 2_900 };
    const response = await this.post('/v1/chat/completions', body, undefined, 300);
    const ended = response.text().then(
      (text) => ({ pieces: text.split('"delta"').length - 1, last: text.trim().split('\n').at(-1) ?? '' }),
      (error: unknown) => ({ pieces: 0, last: wordsOf(error) }),
    );
    return { status: response.status, charge: response.headers.get('x-charge-id') ?? '', ended };
  }

  async balanceMicro(): Promise<number> {
    const answer = await fetch(`${this.base}/v1/agent/balance`, { headers: { 'x-api-key': this.key } });
    return ((await answer.json()) as { balanceMicro: number }).balanceMicro;
  }

  /** Follows its own events until it is stopped, and continues after each disconnect. */
  async follow(received: string[], over: AbortSignal): Promise<void> {
    let last: string | undefined;
    while (!over.aborted) {
      let seen = 0;
      try {
        await readEvents(
          `${this.base}/v1/agent/events`,
          { 'x-api-key': this.key, ...(last && { 'last-event-id': last }) },
          (events) => {
            for (const { id, data } of events.slice(seen)) {
              last = id ?? last;
              received.push((data as { id: string }).id);
            }
            seen = events.length;
            return over.aborted;
          },
          over,
        );
      } catch {
        await pause(100);
      }
    }
  }

  private async asked(tally: Tally, what: string, asking: Promise<Response>): Promise<Reported | undefined> {
    try {
      const response = await asking;
      const { status, headers } = response;
      const text = await response.text();
      tally.count(`${what} ${status}`);
      const charge = headers.get('x-charge-id');
      if (headers.get('x-charge-state') === 'charged' && charge !== null)
        tally.reported.set(charge, Number(headers.get('x-charge-micro')));
      if (status >= 500) tally.fail(`${what}: ${status} ${text.slice(0, 300)}`);
      return { status, headers, text };
    } catch (error) {
      tally.fail(`${what}: ${wordsOf(error)}`);
      return undefined;
    }
  }
}

export interface EndlessStream {
  readonly status: number;
  readonly charge: string;
  /** The number of pieces and the last line, or the error. */
  readonly ended: Promise<{ readonly pieces: number; readonly last: string }>;
}

interface Reported {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
}

/** A caller who pays each call on chain with a stock client. */
export class PayingStranger {
  readonly wallet = new WalletCaller();
  private readonly pay = this.wallet.payingFetch();

  constructor(private readonly base: string) {}

  async chat(tally: Tally): Promise<void> {
    try {
      const response = await this.pay(`${this.base}/v1/agent/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 32 }),
      });
      const text = await response.text();
      tally.count(`x402 chat ${response.status}`);
      const charge = response.headers.get('x-charge-id');
      if (response.status === 200 && charge !== null)
        tally.reported.set(charge, Number(response.headers.get('x-charge-micro')));
      if (response.status >= 500) tally.fail(`x402: ${response.status} ${text.slice(0, 300)}`);
    } catch (error) {
      tally.fail(`x402: ${wordsOf(error)}`);
    }
  }
}
