import { KeyCaller, WalletCaller } from '../support/caller';
import { World } from '../support/world';

const CHAT = { messages: [{ role: 'user', content: 'Say something short.' }], max_tokens: 64 };

describe('paying for a chat completion', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('with a key: runs, debits the credits at list price and says so', async () => {
    const caller = await KeyCaller.register(world, 10_000n);

    const answer = await world.post('/v1/agent/chat', CHAT, { 'x-api-key': caller.key });

    expect(answer.status).toBe(200);
    expect(answer.body.choices[0].message.content).toContain('[sandbox]');
    expect(answer.headers).toMatchObject({
      'x-charge-state': 'charged',
      'x-charge-micro': '2000',
      'x-balance-micro': '8000',
      'x-balance-remaining': '0.008000',
    });
  });

  it.each([
    [64, 'stop'],
    [8, 'length'],
  ])('says why the answer of at most %i tokens ended: %s', async (max_tokens, reason) => {
    const caller = await KeyCaller.register(world, 10_000n);
    const call = { messages: [{ role: 'user', content: 'Hello.' }], max_tokens };
    const answer = await world.post('/v1/agent/chat', call, { 'x-api-key': caller.key });

    expect(answer.body.choices).toEqual([{ message: expect.any(Object), finish_reason: reason }]);
  });

  it('with a wallet: debits its balance', async () => {
    const caller = await new WalletCaller().fund(world, 5_000n);

    const answer = await world.post('/v1/agent/chat', CHAT, { 'sign-in-with-x': await caller.signIn(world) });

    expect(answer.status).toBe(200);
    expect(answer.headers['x-balance-micro']).toBe('3000');
  });

  it('with x402: a stock client pays and gets its proof', async () => {
    const caller = new WalletCaller();

    const answer = await caller.payingFetch()(`${url}/v1/agent/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(CHAT),
    });

    expect(answer.status).toBe(200);
    const proof = JSON.parse(Buffer.from(answer.headers.get('payment-response') ?? '', 'base64').toString());
    expect(proof).toMatchObject({ success: true, payer: caller.wallet, network: 'eip155:8453' });
    expect(answer.headers.get('x-charge-state')).toBe('charged');
  });

  it('tops up a wallet with a stock client, and the balance pays the next call', async () => {
    const caller = new WalletCaller();

    const toppedUp = await caller.payingFetch()(`${url}/v1/agent/x402/top-up?usd=2`, { method: 'POST' });
    const spent = await world.post('/v1/agent/chat', CHAT, { 'sign-in-with-x': await caller.signIn(world) });

    expect(await toppedUp.json()).toEqual({
      wallet: caller.wallet,
      topUpMicro: 2_000_000,
      balanceMicro: 2_000_000,
    });
    expect(spent.headers['x-balance-micro']).toBe('1998000');
  });

  it('gives the same mark the first answer again, and charges once', async () => {
    const caller = await KeyCaller.register(world, 10_000n);
    const headers = { 'x-api-key': caller.key, 'idempotency-key': 'the-same-call-1' };

    const answers = await Promise.all([1, 2, 3, 4].map(() => world.post('/v1/agent/chat', CHAT, headers)));
    const other = await world.post('/v1/agent/chat', { ...CHAT, max_tokens: 65 }, headers);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ headers: h }) => h['x-charge-id'])).size).toBe(1);
    expect(answers.filter(({ headers: h }) => h['idempotent-replayed'] === 'true')).toHaveLength(3);
    expect(other.body.error.code).toBe('IDEMPOTENCY_MISMATCH');
    const balance = await world.get('/v1/account', { cookie: caller.cookie });
    expect(balance.body.balanceMicro).toBe(8_000);
  });

  it('gives the money back when the provider refuses', async () => {
    const caller = await new WalletCaller().fund(world, 5_000n);
    const body = { messages: [{ role: 'user', content: 'no [[reject]]' }] };

    const answer = await world.post('/v1/agent/chat', body, { 'sign-in-with-x': await caller.signIn(world) });
    const ledger = await world.get(`/v1/agent/x402/transactions/${caller.wallet}`);

    expect(answer.status).toBe(502);
    expect(answer.headers['x-charge-state']).toBe('released');
    expect(ledger.body.transactions.map(({ kind }: { kind: string }) => kind)).toEqual([
      'refund',
      'debit',
      'top_up',
    ]);
  });

  it('shows a signed receipt to anyone with the id', async () => {
    const caller = await KeyCaller.register(world, 10_000n);
    const answer = await world.post('/v1/agent/chat', CHAT, { 'x-api-key': caller.key });

    const receipt = await world.get(`/v1/agent/charges/${answer.headers['x-charge-id']}`);

    expect(receipt.body).toMatchObject({
      state: 'charged',
      rail: 'api-key',
      priceMicro: 2000,
      payer: caller.accountId,
    });
    expect(receipt.body.jws).toMatch(/^[\w-]+\.\.[\w-]+$/);
  });

  it('rehearses a call without holding anything', async () => {
    const caller = await KeyCaller.register(world, 10_000n);

    const answer = await world.post('/v1/agent/chat', { ...CHAT, dryRun: true }, { 'x-api-key': caller.key });

    expect(answer.body).toEqual({
      dryRun: true,
      modelId: 'lumen-flash',
      priceMicro: 2_000,
      rail: 'api-key',
      balanceAfterMicro: 8_000,
    });
    expect((await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro).toBe(10_000);
  });
});
