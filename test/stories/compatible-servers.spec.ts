import type { ServerResponse } from 'node:http';

import { ReconciliationRepository } from '#money/billing/sweeps/reconciliation.repository';
import { TextVendor, event, openStream, piece } from '../adversary/text-vendor';
import { KeyCaller } from '../support/caller';
import { catalogOf, filmEntry, pictureEntry, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeOpenai } from '../support/fake-openai';
import { captureLog } from '../support/log-lines';
import { forgetRoutes } from '../support/routes';
import { World } from '../support/world';

const KEY = 'gsk-the-key-of-the-first-server';
const MESSAGES = [{ role: 'user', content: 'Say hello.' }];

/** The server is too busy, so it certainly has not accepted the call. */
const busy = (response: ServerResponse): void => {
  response.writeHead(429, { 'retry-after': '1' }).end('{}');
};

/** Answers with one word, and with the server's own price of the call. */
const saysFor =
  (cost: unknown) =>
  (response: ServerResponse): void => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, cost };
    openStream(response).write(
      piece({ role: 'assistant', content: 'Hello.' }, 'stop') + event({ choices: [], usage }),
    );
    response.end(event('[DONE]'));
  };

describe('two servers that speak the language of OpenAI', () => {
  let painter: FakeOpenai;
  let first: TextVendor;
  let second: TextVendor;
  let world: World;
  let caller: KeyCaller;

  beforeAll(async () => {
    [first, second, painter] = await Promise.all([
      new TextVendor().start(),
      new TextVendor().start(),
      new FakeOpenai().start(),
    ]);
    world = await World.start({
      OPENAI_COMPATIBLE_SERVERS: 'groq,my-vllm,painter',
      GROQ_BASE_URL: `${first.origin}/openai/v1`,
      GROQ_API_KEY: KEY,
      GROQ_QUIRKS: 'max_completion_tokens,usage_cost',
      MY_VLLM_BASE_URL: `${second.origin}/v1`,
      MY_VLLM_QUIRKS: 'no_stream_options',
      PAINTER_BASE_URL: `${painter.origin}/v1`,
      PAINTER_API_KEY: painter.key,
      FETCH_ALLOW_HOSTS: painter.host,
      ALLOW_SANDBOX_MIX: 'true',
      ...catalogOf(
        [pictureEntry('picture', ['painter:gpt-image-1']), filmEntry('film', ['painter:sora-2'])],
        [textEntry('words', ['groq:llama', 'my-vllm:own-llama'])],
      ),
    });
    caller = await KeyCaller.register(world, 1_000_000n);
  });

  beforeEach(async () => {
    // The pause of a route ends with the first call that the route serves.
    await chat();
    forgetRoutes(world);
    [first, second].forEach((vendor) => vendor.forget());
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await world.stop();
    await Promise.all([first, second, painter].map((server) => server.stop()));
  });

  const chat = () => world.post('/v1/agent/chat', { messages: MESSAGES }, { 'x-api-key': caller.key });
  const studio = (stream: boolean) =>
    world.post('/v1/chat/completions', { messages: MESSAGES, stream }, { 'x-api-key': caller.key });

  it('are each asked at their own address, with their own key and in their own words', async () => {
    await studio(true);
    first.next(busy);
    await studio(true);

    expect(first.requests[0]).toMatchObject({
      url: '/openai/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(first.asked[0]?.body).toMatchObject({ model: 'llama', max_completion_tokens: 1024 });
    expect(first.asked[0]?.body).toHaveProperty('stream_options');
    expect(second.requests[0]?.url).toBe('/v1/chat/completions');
    expect(second.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(second.asked[0]?.body).toMatchObject({ model: 'own-llama', max_tokens: 1024 });
    expect(second.asked[0]?.body).not.toHaveProperty('stream_options');
  });

  it.each([
    ['the chat of agents', chat],
    ['the studio', () => studio(false)],
    ['the studio, streaming', () => studio(true)],
  ])('fail over to each other: %s', async (_, ask) => {
    first.next(busy);

    const answer = await ask();

    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).toContain('Hello.');
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
  });

  it('show neither their names nor their keys to anybody', async () => {
    const log = captureLog(world);
    first.next((response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: KEY, message: `bad key ${KEY}` } }));
    });
    second.next(busy);

    const answer = await chat();

    expect(answer.status).toBe(503);
    expect(JSON.stringify(answer)).not.toMatch(/groq|vllm|gsk/);
    expect(log.lines.join('')).toContain('groq');
    expect(log.lines.join('')).not.toContain(KEY);
  });

  it.each<[string, unknown, string | null]>([
    ['its own bill', 0.000_250_1, '251'],
    ['a bill that is none', '1', null],
    ['a bill below nothing', -1, null],
    ['a bill of millions', 5e6, null],
  ])('report %s, which the books are compared with where it is one', async (_, cost, billed) => {
    first.next(saysFor(cost));

    const { body } = await studio(true);

    expect(String(body)).not.toContain('cost');
    const row = await world.db.one<{ id: string; billed: string | null; price: string }>(
      'select id, billed_micro as billed, price_micro as price from charge order by created_at desc limit 1',
    );
    expect(row?.billed).toBe(billed ?? row?.price);
    const drift = await world.app.get(ReconciliationRepository, { strict: false }).debitsBelowBills();
    expect(drift).toBe(billed === null ? 0n : BigInt(billed) - BigInt(row?.price ?? 0));
    await world.db.rows('update charge set billed_micro = null where id = $1', [row?.id]);
  });

  const balance = async (): Promise<number> =>
    (await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro;

  const make = (modelId: string) =>
    world.post('/v1/agent/generate', { prompt: 'a lamp', modelId }, { 'x-api-key': caller.key });

  it('make pictures, where they can', async () => {
    expect((await make('picture')).body).toMatchObject({ status: 'done' });
    expect(painter.images).toHaveLength(1);
  });

  it('leave the list while they work, and what they never finished is refunded', async () => {
    painter.videoStatuses = ['in_progress'];
    const before = await balance();
    const { body } = await make('film');
    expect(await balance()).toBeLessThan(before);

    await world.db.rows(
      `update job set provider = 'gone', poll_at = now(), deadline_at = now() - interval '1 s' where id = $1`,
      [body.jobId],
    );

    await expectEventually(async () => (await balance()) === before);
    expect((await world.get(body.poll)).body.status).toBe('failed');
  });
});
