import { ChatPriceCalculator } from '#models/catalog/chat-price-calculator';
import { micro } from '#kernel/money';
import { TextVendor, event, piece, usage, openStream } from '../adversary/text-vendor';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import type { Answer, World } from '../support/world';

const HI = [{ role: 'user', content: 'hi' }];
/** The tokens that the vendor counts, and their cost at $3 and $15 for a million. */
const [INPUT, OUTPUT] = [10, 800];
const COST = 12_030;

const PLACES: readonly (readonly [string, object])[] = [
  ['/v1/chat/completions', { model: 'words', messages: HI, max_tokens: 1_000 }],
  ['/v1/messages', { model: 'words', messages: HI, max_tokens: 1_000 }],
  ['/v1/responses', { model: 'words', input: 'hi', max_output_tokens: 1_000 }],
  [
    '/v1/models/words:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 1_000 } },
  ],
];
const CLASSES = ['account key', 'session', "wallet's key", 'wallet'] as const;
type Class = (typeof CLASSES)[number];

/** The class comes from the proven payer: never from a header, and never from the quote of another caller. */
describe('the price of a conversation', () => {
  let vendor: TextVendor;
  let world: World;
  let account: KeyCaller;
  let wallet: WalletCaller;
  let walletKey: string;
  let retail: number;

  beforeAll(async () => {
    vendor = await new TextVendor().start();
    world = await vendor.world();
    account = await KeyCaller.register(world, 1_000_000_000n);
    wallet = await new WalletCaller().fund(world, 1_000_000_000n);
    const resource = `${world.settings.http.publicUrl}/v1/agent/keys`;
    const made = await world.post(
      '/v1/agent/keys',
      { limitMicro: 500_000_000, expiresInSeconds: 3_600 },
      { 'sign-in-with-x': await wallet.signIn(world, { resource }) },
    );
    walletKey = made.body.key;
    retail = Number(world.app.get(ChatPriceCalculator, { strict: false }).retail(micro(BigInt(COST))));
  });
  beforeEach(() => vendor.forget());
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await vendor.stop();
  });

  const credential = async (of: Class): Promise<Record<string, string>> => {
    if (of === 'account key') return { 'x-api-key': account.key };
    if (of === "wallet's key") return { 'x-api-key': walletKey };
    if (of === 'wallet') return { 'sign-in-with-x': await wallet.signIn(world) };
    return { cookie: account.cookie, origin: new URL(world.settings.http.publicUrl).origin };
  };
  const priceFor = (of: Class): number => (of === 'wallet' || of === "wallet's key" ? retail : COST);
  /** The service reads every answer as a stream. */
  const answers = (): void =>
    vendor.next((response) => {
      openStream(response).write(piece({ content: 'Hello.' }, 'stop') + usage(INPUT, OUTPUT));
      response.end(event('[DONE]'));
    });
  const quote = (path: string, body: object, headers: Record<string, string>): Promise<Answer> =>
    world.post(`/v1/agent/quote?path=${encodeURIComponent(path)}`, body, headers);
  const taken = async (id: string | undefined): Promise<number> => {
    const entry = await world.db.one<{ micro: number }>(
      `select amount_micro::float8 as micro from ledger_entry where charge_id = $1 and kind = 'debit'`,
      [id],
    );
    return entry?.micro ?? 0;
  };

  describe.each(PLACES)('at %s', (path, body) => {
    it.each(CLASSES)(
      'is that of the proven payer for a call by %s, and the headers say what was taken',
      async (of) => {
        answers();

        const { status, headers } = await world.post(path, body, await credential(of));

        expect([status, headers['x-charge-state']]).toEqual([200, 'charged']);
        expect([await taken(headers['x-charge-id']), Number(headers['x-charge-micro'])]).toEqual([
          priceFor(of),
          priceFor(of),
        ]);
      },
    );

    it.each([
      ['a header that is no key', { 'x-api-key': 'lp_nobody' }],
      ['a strange bearer', { authorization: 'Bearer sk-anything' }],
    ])('is retail for a wallet with %s beside its sign-in, or the call is refused', async (_, stranger) => {
      answers();

      const { status, headers } = await world.post(path, body, {
        ...(await credential('wallet')),
        ...stranger,
      });

      if (status === 200) expect(await taken(headers['x-charge-id'])).toBe(retail);
      else expect(status).toBe(401);
    });
  });

  const PATH = '/v1/chat/completions';
  const BODY = PLACES[0]![1];

  it.each(CLASSES)('is quoted to %s as it is held', async (of) => {
    const { status, body } = await quote(PATH, BODY, await credential(of));
    expect(status).toBe(200);
    answers();

    const paid = await world.post(PATH, { ...BODY, quoteId: body.quoteId }, await credential(of));

    expect(paid.status).toBe(200);
    expect(await taken(paid.headers['x-charge-id'])).toBe(priceFor(of));
  });

  it.each([
    ['account key', 'wallet'],
    ['account key', "wallet's key"],
    ['session', 'wallet'],
    ['wallet', 'account key'],
    ['nobody', 'account key'],
  ] as const)('cannot be bought by the quote of %s for %s', async (of, buyer) => {
    const { body } = await quote(PATH, BODY, of === 'nobody' ? {} : await credential(of));
    answers();

    const answer = await world.post(PATH, { ...BODY, quoteId: body.quoteId }, await credential(buyer));

    expect([answer.status, answer.body.error.code]).toEqual([409, 'QUOTE_MISMATCH']);
  });

  it('is retail in the quote of a stranger, and a wrong key gets no quote', async () => {
    const [nobody, byKey] = [
      await quote(PATH, BODY, {}),
      await quote(PATH, BODY, await credential('account key')),
    ];
    const wrong = await quote(PATH, BODY, { 'x-api-key': `lp_${'a'.repeat(64)}` });

    expect(nobody.body.priceMicro).toBeGreaterThan(byKey.body.priceMicro);
    // A browser sends the cookie of an ended session with every request.
    const ended = await quote(PATH, BODY, { cookie: `${account.cookie.split('=')[0]}=${'a'.repeat(43)}` });
    expect([ended.status, ended.body.priceMicro]).toEqual([200, nobody.body.priceMicro]);
    expect(wrong.status).toBe(401);
  });

  it('is never more in a header or an event than the hold', async () => {
    const small = { ...(BODY as { messages: object[] }), max_tokens: 1 };
    const counts = usage(INPUT, 100_000);
    for (const stream of [false, true]) {
      vendor.next((response) => {
        openStream(response).write(piece({ content: 'Hello.' }, 'stop') + counts);
        response.end(event('[DONE]'));
      });
      const options = stream ? { stream, stream_options: { include_usage: true } } : {};
      const answer = await world.post(PATH, { ...small, ...options }, await credential('wallet'));
      const id = answer.headers['x-charge-id'];
      await expectEventually(async () => (await taken(id)) > 0);
      const shown = stream
        ? Number(/"priceMicro":(\d+)/.exec(String(answer.body))?.[1])
        : Number(answer.headers['x-charge-micro']);
      expect(shown).toBe(await taken(id));
    }
  });
});
