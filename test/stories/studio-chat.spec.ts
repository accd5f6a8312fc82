import OpenAI from 'openai';

import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const MESSAGES = [{ role: 'user' as const, content: 'Say something. [[tokens 40]]' }];

describe("the studio's chat", () => {
  let world: World;
  let url: string;
  let caller: KeyCaller;
  let client: OpenAI;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(world, 1_000_000n);
    client = new OpenAI({ apiKey: caller.key, baseURL: `${url}/v1`, maxRetries: 0 });
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const balance = async (): Promise<number> =>
    (await world.get('/v1/account', { cookie: caller.cookie })).body.balanceMicro;

  const reserved = async (): Promise<string | undefined> =>
    (
      await world.db.one<{ reserved: string }>(
        'select reserved_micro as reserved from ledger_account where id = $1',
        [`credits:${caller.accountId}`],
      )
    )?.reserved;

  it('answers whole, and charges the tokens really used at catalog rates', async () => {
    const answer = await client.chat.completions.create({ model: 'lumen-flash', messages: MESSAGES });

    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = answer.usage ?? {};
    const price = Math.ceil((input * 220_000 + output * 430_000) / 1_000_000);
    expect(output).toBe(40);
    expect(await balance()).toBe(1_000_000 - price);
    expect(await reserved()).toBe('0');
  });

  it('streams to the official client, with the usage when it asks for it', async () => {
    const stream = await client.chat.completions.create({
      model: 'lumen-flash',
      messages: MESSAGES,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }

    expect(text).toContain('[sandbox]');
    expect(usage).toMatchObject({ completion_tokens: 40 });
    await expectEventually(async () => (await reserved()) === '0');
    expect(await balance()).toBeLessThan(1_000_000);
  });

  it('acts for the session too, with the Origin of our own pages', async () => {
    const origin = new URL(world.settings.http.publicUrl).origin;

    const own = await world.post(
      '/v1/chat/completions',
      { messages: MESSAGES },
      { cookie: caller.cookie, origin },
    );
    const foreign = await world.post(
      '/v1/chat/completions',
      { messages: MESSAGES },
      { cookie: caller.cookie, origin: 'https://elsewhere.example' },
    );

    expect(own.status).toBe(200);
    expect(foreign.body.error.code).toBe('ORIGIN_MISMATCH');
  });

  it('bills a reader who hangs up for what was produced, and frees the rest', async () => {
    const abort = new AbortController();
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      signal: abort.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${caller.key}` },
      body: JSON.stringify({
        messages: [{ role: 'user', content: '[[tokens 8000]]' }],
        max_tokens: 8_000,
        stream: true,
      }),
    });
    await answer.body?.getReader().read();
    abort.abort();

    await expectEventually(async () => (await reserved()) === '0');
    const left = await balance();
    expect(left).toBeLessThan(1_000_000);
    expect(left).toBeGreaterThan(1_000_000 - Math.ceil((8_000 * 430_000) / 1_000_000));
  });

  it('ends in an error event and costs nothing when the provider breaks off', async () => {
    const answer = await world.post(
      '/v1/chat/completions',
      { messages: [{ role: 'user', content: '[[fail]]' }], stream: true },
      { 'x-api-key': caller.key },
    );

    expect(answer.body).toContain('"code":"PROVIDER_UNAVAILABLE"');
    expect(answer.body).not.toContain('[DONE]');
    expect(await balance()).toBe(1_000_000);
  });

  it('refuses what the balance could not cover at the worst', async () => {
    const poor = await KeyCaller.register(world, 10n);

    const answer = await world.post(
      '/v1/chat/completions',
      { messages: MESSAGES },
      { 'x-api-key': poor.key },
    );

    expect(answer.status).toBe(402);
    expect(answer.body).toMatchObject({ error: { code: 'INSUFFICIENT_FUNDS' }, topUp: expect.any(String) });
  });

  it('streams the same mark again from what was kept, and charges it once', async () => {
    const headers = { 'x-api-key': caller.key, 'idempotency-key': 'studio-mark-1' };
    const body = { messages: MESSAGES, stream: true, stream_options: { include_usage: true } };

    const first = await world.post('/v1/chat/completions', body, headers);
    const left = await balance();
    const second = await world.post('/v1/chat/completions', body, headers);

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'idempotent-replayed': 'true',
      'x-charge-id': first.headers['x-charge-id'],
      'x-charge-state': 'charged',
    });
    expect(second.body).toBe(first.body);
    expect(await balance()).toBe(left);
  });

  describe.each([true, false])('the rules of every paid call, with stream: %s', (stream) => {
    const body = { messages: MESSAGES, stream };
    const send = (more: object, headers: Readonly<Record<string, string>> = {}) =>
      world.post('/v1/chat/completions', { ...body, ...more }, { 'x-api-key': caller.key, ...headers });

    it('refuse a call that could cost more than its caller allows, before anything is held', async () => {
      const before = await balance();

      const byHeader = await send({}, { 'x-max-price-micro': '1' });
      const byField = await send({ maxPriceMicro: 1 });

      expect([byHeader.status, byHeader.body.error.code]).toEqual([400, 'PRICE_ABOVE_MAX']);
      expect([byField.status, byField.body.error.code]).toEqual([400, 'PRICE_ABOVE_MAX']);
      expect(await balance()).toBe(before);
    });

    it('rehearse a call without running or charging it', async () => {
      const before = await balance();

      const { status, headers, body: said } = await send({ dryRun: true });

      expect([status, headers['x-charge-state']]).toEqual([200, 'none']);
      expect(said).toMatchObject({ dryRun: true, rail: 'api-key', priceMicro: expect.any(Number) });
      expect(await balance()).toBe(before);
    });
  });

  describe('whole answers', () => {
    const slow = { messages: [{ role: 'user' as const, content: 'Take your time. [[delay 3s]]' }] };
    const charges = async (): Promise<number> =>
      (await world.db.rows('select from charge where payer = $1', [caller.accountId])).length;

    it('are given again for the same mark, and charged once', async () => {
      const headers = { 'x-api-key': caller.key, 'idempotency-key': 'whole-answer-1' };

      const first = await world.post('/v1/chat/completions', { messages: MESSAGES }, headers);
      const left = await balance();
      const second = await world.post('/v1/chat/completions', { messages: MESSAGES }, headers);
      const other = await world.post('/v1/chat/completions', slow, headers);

      expect(second.body).toEqual(first.body);
      expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true', 'x-charge-state': 'charged' });
      expect(other.body.error.code).toBe('IDEMPOTENCY_MISMATCH');
      expect([await balance(), await charges()]).toEqual([left, 1]);
    });

    it('are waited for while the first of the same mark runs', async () => {
      const headers = { 'x-api-key': caller.key, 'idempotency-key': 'whole-answer-2' };

      const answers = await Promise.all(
        [1, 2, 3].map(() => world.post('/v1/chat/completions', slow, headers)),
      );

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await charges()).toBe(1);
    });

    it('are not paid twice when the connection broke and a stock client tries again', async () => {
      const hasty = new OpenAI({ apiKey: caller.key, baseURL: `${url}/v1`, maxRetries: 2, timeout: 2_000 });

      const answer = await hasty.chat.completions.create({ model: 'lumen-flash', ...slow });

      expect(answer.choices[0]?.message.content).toContain('[sandbox]');
      expect(await charges()).toBe(1);
    });
  });

  it('refuses images where the model sees none', async () => {
    const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }];

    const answer = await world.post(
      '/v1/chat/completions',
      { model: 'lumen-flash', messages: [{ role: 'user', content }] },
      { 'x-api-key': caller.key },
    );

    expect(answer.body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'messages' });
  });
});
