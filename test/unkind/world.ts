import { randomBytes } from 'node:crypto';

import sharp from 'sharp';

import { Deployment } from '../faults/deployment';
import { KeyCaller, WalletCaller } from '../support/caller';
import { signedPayment } from '../contract/rail-callers';
import { catalogOf } from '../support/catalogs';
import { catalog } from './dependencies';

type Env = Readonly<Record<string, string>>;

/** A picture with a new colour: the service would answer for known bytes without calling the store. */
const picture = async (): Promise<string> => {
  const [r, g, b] = randomBytes(3) as unknown as [number, number, number];
  const png = sharp({ create: { width: 2, height: 2, channels: 3, background: { r, g, b } } }).png();
  return `data:image/png;base64,${(await png.toBuffer()).toString('base64')}`;
};

const SERVED = [200, 201, 202];
const AWAY = [502, 503];

export interface Said {
  readonly call: string;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly ms: number;
  readonly body: string;
}

const [media, text] = catalog();
const idOf = (entry: object): string => (entry as { readonly id: string }).id;

/** The settings of a process besides those of its dependencies. */
export const SHARED: Env = {
  ...catalogOf(media, text),
  LOG_LEVEL: 'warn',
  ALLOW_SANDBOX_MIX: 'true',
  MEDIA_SYNC_SECONDS: '2',
  FETCH_ALLOW_HOSTS: '127.0.0.1',
  RATE_LIMIT_REFERENCES: '0',
  RATE_LIMIT_WEBHOOK_TESTS: '0',
  HURRY: '6',
  HURRY_TIMERS: '10',
};

/** The settings of a process that lets an outside service screen its calls. */
export const SCREENED: Env = { POLICY: 'openai' };

const ROUNDS_OF_A_LIBRARY = 80;

/** The id of the mail that is due during an outage of this kind. The mail's header contains it. */
export const mailOf = (way: string): string => `evt_mail_${way.replaceAll(' ', '_')}`;

/** A caller of everything that needs an outside server. */
export class Customer {
  private constructor(
    private readonly deployment: Deployment,
    readonly caller: KeyCaller,
    private readonly fund: (wallet: `0x${string}`) => Promise<unknown>,
  ) {}

  private librarian: KeyCaller | undefined;
  private rounds = 0;

  static async of(
    deployment: Deployment,
    fund: (wallet: `0x${string}`) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<Customer> {
    return new Customer(deployment, await KeyCaller.register(deployment.asWorld(), 500_000_000n), fund);
  }

  /** Makes every kind of call once, all at the same time. */
  async everything(place: number): Promise<readonly Said[]> {
    const headers = { 'x-api-key': this.caller.key };
    // A library holds 100 references, and a busy machine takes many rounds.
    if (this.rounds % ROUNDS_OF_A_LIBRARY === 0)
      this.librarian = await KeyCaller.register(this.deployment.asWorld(), 500_000_000n);
    this.rounds += 1;
    const messages = [{ role: 'user', content: 'hi' }];
    const unique = Math.random().toString(36);
    const source = await picture();
    const calls: Promise<Said>[] = [
      ...text.flatMap((entry) => [
        this.ask(
          place,
          `${idOf(entry)} whole`,
          '/v1/agent/chat',
          { model: idOf(entry), messages, max_tokens: 9 },
          headers,
        ),
        this.ask(
          place,
          `${idOf(entry)} streamed`,
          '/v1/chat/completions',
          { model: idOf(entry), messages, max_tokens: 9, stream: true },
          headers,
        ),
      ]),
      ...media.map((entry) => {
        const [path, name] = idOf(entry).endsWith('film')
          ? ['/v1/agent/videos', 'model']
          : ['/v1/agent/generate', 'modelId'];
        const body = { [name]: idOf(entry), prompt: `a fox ${unique}` };
        return this.ask(place, idOf(entry), path, body, headers);
      }),
      this.ask(
        place,
        'storing a reference',
        '/v1/agent/references',
        { media: source, label: `red ${unique}` },
        { 'x-api-key': this.librarian!.key },
      ),
      this.ask(place, 'searching references', '/v1/agent/references/search?q=red', undefined, headers),
      this.ask(
        place,
        'buying credits',
        '/v1/account/billing/top-up',
        { usd: 10 },
        { cookie: this.caller.cookie, origin: 'http://127.0.0.1:3999' },
      ),
      this.pay(place),
      this.ask(place, 'listing models', '/v1/models', undefined, {}),
      this.ask(place, 'being alive', '/health/live', undefined, {}),
      this.ask(place, 'being ready', '/health/ready', undefined, {}),
    ];
    return Promise.all(calls);
  }

  /** Calls that an outside service must screen first. While it is unavailable, nothing is generated. */
  async screened(place: number): Promise<readonly Said[]> {
    const headers = { 'x-api-key': this.caller.key };
    const chat = (): object => ({
      messages: [{ role: 'user', content: `hi ${Math.random()}` }],
      max_tokens: 9,
    });
    return Promise.all([
      this.ask(place, 'screened whole', '/v1/agent/chat', { model: idOf(text[0]!), ...chat() }, headers),
      this.ask(
        place,
        'screened streamed',
        '/v1/chat/completions',
        { model: idOf(text[0]!), ...chat(), stream: true },
        headers,
      ),
      this.ask(
        place,
        'screened image',
        '/v1/agent/generate',
        { modelId: idOf(media[0]!), prompt: `a screened fox ${Math.random()}` },
        headers,
      ),
      this.ask(place, 'being alive', '/health/live', undefined, {}),
    ]);
  }

  /** Makes a mail due. */
  async isDueAMail(way: string): Promise<void> {
    await this.deployment.db.rows(
      `insert into alert_mail (id, owner, type, data)
       values ($1, $2, 'balance.low', '{"balanceMicro": 1, "limitMicro": 2}')`,
      [mailOf(way), this.caller.accountId],
    );
  }

  /** Makes work due now that a failed or hung try has postponed. */
  async endPausesOfMails(): Promise<void> {
    await this.deployment.db.rows(
      `update alert_mail set due_at = now() where tries > 0 and due_at > now() and starts_with(id, 'evt_mail_')`,
    );
  }

  /** Registers an endpoint for the caller's events. */
  async register(place: number, url: string): Promise<void> {
    const { status } = await this.ask(
      place,
      'registering',
      '/v1/agent/webhooks',
      { url },
      { 'x-api-key': this.caller.key },
    );
    expect(status).toBe(201);
  }

  private async pay(place: number): Promise<Said> {
    const world = this.deployment.asWorld();
    const body = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 };
    const at = { ...world, post: (path: string, sent: unknown) => this.deployment.post(place, path, sent) };
    const wallet = new WalletCaller();
    await this.fund(wallet.account.address);
    const header = await signedPayment(at as typeof world, wallet, body);
    return this.ask(place, 'paying by call', '/v1/agent/chat', body, { 'payment-signature': header });
  }

  private async ask(place: number, call: string, path: string, body: unknown, headers: Env): Promise<Said> {
    const began = Date.now();
    const response = await fetch((await this.deployment.url(place)) + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const said = await response.text();
    return {
      call,
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      ms: Date.now() - began,
      body: said.slice(0, 300),
    };
  }
}

/** A stream waits five minutes for a silent model, which are half a minute here, and a busy machine is late. */
const ANSWER_MS_MAX = 35_000;

/** No outage excuses these answers: another status, a 503 without `Retry-After`, or an endless wait. */
export const expectDecentAnswers = (answers: readonly Said[]): void => {
  const bad = answers.filter(
    ({ call, status, retryAfter, ms }) =>
      !(SERVED.includes(status) || (AWAY.includes(status) && (status === 502 || retryAfter !== null))) ||
      ms > ANSWER_MS_MAX ||
      (/^(listing|being)/.test(call) && status !== 200),
  );
  expect(bad).toEqual([]);
};

/** During every outage, no whole text of a vendor, no stored reference and no payment is possible. */
export const expectAway = (answers: readonly Said[]): void => {
  const served = answers.filter(
    ({ call, status }) => /whole$|^storing|^paying/.test(call) && SERVED.includes(status),
  );
  expect(served).toEqual([]);
};
