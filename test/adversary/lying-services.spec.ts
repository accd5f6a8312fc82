import { randomInt } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Slots } from '#kernel/slots';
import { signedPayment } from '../contract/rail-callers';
import { picture, pictureUri } from '../references/library-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { VENDOR_WORDS } from '../support/fake-provider';
import { type Answer, World } from '../support/world';
import { FORBIDDEN, LyingService } from './lying-service';

/** LIES_SEED repeats a run. */
const SEED = process.env['LIES_SEED'] ?? String(randomInt(1_000_000));

const CALLS = 160;
const AT_ONCE = 10;
const FUNDS = 1_000_000_000n;
/** Timeouts of tens of seconds are shortened by this factor. */
const HURRY = 20;

const CATALOG = {
  media: [
    {
      id: 'picture',
      name: 'Picture',
      mode: 't2i',
      aspectRatios: ['1:1'],
      resolutions: [],
      imageSizes: [],
      durations: [],
      pricing: { unit: 'image', usd: { default: '0.02' } },
      routes: [{ provider: 'openai', model: 'gpt-image-1' }],
    },
  ],
  text: [
    {
      id: 'words',
      name: 'Words',
      inputUsdPerMtok: '3',
      outputUsdPerMtok: '15',
      routes: [{ provider: 'openai', model: 'gpt-4o' }],
    },
  ],
};

/** The answers that a caller may get while outside services lie. */
const STATUSES: ReadonlySet<number> = new Set([200, 201, 202, 400, 402, 409, 422, 503]);

interface Received extends Answer {
  readonly at: number;
  readonly what: string;
  readonly isForbidden: boolean;
  /** Of the payment that came along. */
  readonly nonce?: string;
}

const nonceIn = (payment: string): string =>
  (
    JSON.parse(Buffer.from(payment, 'base64').toString()) as {
      payload: { authorization: { nonce: string } };
    }
  ).payload.authorization.nonce;

jest.setTimeout(120_000);

describe(`services that lie (LIES_SEED=${SEED})`, () => {
  let service: LyingService;
  let world: World;
  let caller: KeyCaller;
  const received: Received[] = [];

  beforeAll(async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(Math.ceil(ms / HURRY)));
    service = await new LyingService(SEED, await picture('blue')).start();
    const catalog = join(mkdtempSync(join(tmpdir(), 'lamppost-catalog-')), 'catalog.json');
    writeFileSync(catalog, JSON.stringify(CATALOG));
    world = await World.start({
      ...service.env,
      MEDIA_SYNC_SECONDS: '5',
      ALLOW_SANDBOX_MIX: 'true',
      LIVE_COSTS: 'false',
      CATALOG_FILE: catalog,
    });
    caller = await KeyCaller.register(world, FUNDS);
  });

  afterAll(async () => {
    await world.stop();
    await service.stop();
    jest.restoreAllMocks();
  });

  const paid = async (url: string, body: object): Promise<Answer & { readonly nonce: string }> => {
    const payment = await signedPayment(world, new WalletCaller(), body, { url });
    return { ...(await world.post(url, body, { 'payment-signature': payment })), nonce: nonceIn(payment) };
  };

  const one = async (at: number): Promise<void> => {
    const isForbidden = at % 4 === 3;
    const words = `${isForbidden ? FORBIDDEN : 'a quiet'} street ${at}`;
    const key = { 'x-api-key': caller.key };
    const chat = { messages: [{ role: 'user', content: words }], max_tokens: 20 };
    const [what, answer] = await {
      0: async () => ['chat by payment', await paid('/v1/agent/chat', chat)] as const,
      1: async () => ['picture by payment', await paid('/v1/agent/generate', { prompt: words })] as const,
      2: async () =>
        ['picture by key', await world.post('/v1/agent/generate', { prompt: words }, key)] as const,
      3: async () =>
        [
          'reference',
          await world.post('/v1/agent/references', { media: await pictureUri(), label: words }, key),
        ] as const,
      4: async () =>
        [
          'search',
          await world.get(`/v1/agent/references/search?q=${encodeURIComponent(words)}`, key),
        ] as const,
    }[(at % 5) as 0]();
    received.push({ at, what, isForbidden, ...answer });
  };

  it('end no process, and every doubt is decided when their answers are true again', async () => {
    const slots = new Slots(AT_ONCE);
    await Promise.all(Array.from({ length: CALLS }, (_, at) => slots.run(() => one(at))));

    expect(received).toHaveLength(CALLS);
    expect([...service.reported.keys()].length).toBeGreaterThan(10);
    service.honest = true;
    await expectEventually(
      async () =>
        (await world.db.rows(`select from job where status = 'running'`)).length === 0 &&
        (await world.db.rows(`select from charge where state = 'held'`)).length === 0,
    );
    expect((await world.get('/health/live')).status).toBe(200);
  });

  it('reach no caller, who gets only documented errors', () => {
    for (const { at, what, status, body, headers } of received) {
      expect({ at, what, status, isKnown: STATUSES.has(status) }).toEqual({
        at,
        what,
        status,
        isKnown: true,
      });
      const text = JSON.stringify([body, headers]);
      expect({ at, reported: text.includes(VENDOR_WORDS) || text.includes('sk-fake') }).toEqual({
        at,
        reported: false,
      });
    }
  });

  it('give nothing to those who have not paid, and take from nobody for what was not given', async () => {
    await world.expectBooksToBalance();
    for (const { at, what, status, nonce } of received) {
      if (nonce === undefined || status >= 400) continue;
      expect({ at, what, moved: service.settled.get(nonce)?.moved }).toEqual({ at, what, moved: true });
    }
    const payments = await world.db.rows<{ nonce: string; state: string }>(
      `select encode(p.nonce, 'hex') as nonce, c.state from x402_payment p join charge c on c.id = p.charge_id`,
    );
    for (const { nonce, state } of payments) {
      const truth = service.settled.get(`0x${nonce}`);
      if (state === 'charged') expect({ nonce, moved: truth?.moved }).toEqual({ nonce, moved: true });
      if (state === 'released')
        expect({ nonce, moved: truth?.moved ?? false }).toEqual({ nonce, moved: false });
    }
    const { body } = await world.get('/v1/account', { cookie: caller.cookie });
    const [sums] = await world.db.rows<{ charged: string }>(
      `select coalesce(sum(price_micro), 0)::text as charged from charge where state = 'charged' and payer = $1`,
      [caller.accountId],
    );
    expect(BigInt(body.balanceMicro)).toBe(FUNDS - BigInt(sums!.charged));
  });

  it('let nothing pass that the policy forbids, and nothing unscreened', () => {
    const given = received.filter(({ what, status }) => what !== 'search' && status < 300);
    expect(given.length).toBeGreaterThan(0);
    expect(given.filter(({ isForbidden }) => isForbidden)).toEqual([]);
  });

  it('leave no vector that is none', async () => {
    const rows = await world.db.rows<{ vector: Buffer }>(
      'select vector from reference where vector is not null',
    );
    const numbers = rows.flatMap(({ vector }) =>
      Array.from({ length: vector.length / 4 }, (_, at) => vector.readFloatLE(at * 4)),
    );
    expect(numbers.filter((number) => !Number.isFinite(number))).toEqual([]);
  });
});
