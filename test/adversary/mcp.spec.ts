import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';

import { freePort } from '../../tools/chain/free-port';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { type FakeFacilitator, startFakeFacilitator } from '../support/fake-facilitator';
import { type CallToolResult, McpCaller } from '../support/mcp';
import { type Answer, World } from '../support/world';
import { picture, pictureUri } from '../references/library-callers';

const CHAT = { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 };
const PICTURE = { prompt: 'a red fox that nobody paid for' };

const messageOf = (name: string, args: object = {}, meta?: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
});

const textsIn = (results: readonly unknown[]): string => JSON.stringify(results);

/** The payment that a client signs for the requirements of a tool. */
const signed = async (wallet: WalletCaller, { structuredContent }: CallToolResult): Promise<unknown> => {
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet.account));
  client.setSpendControls?.({ maxAmountPerPayment: '$100' });
  return client.createPaymentPayload(
    structuredContent as unknown as Parameters<x402Client['createPaymentPayload']>[0],
  );
};

describe('the tools, in the hands of a cheat', () => {
  let facilitator: FakeFacilitator;
  let world: World;
  let url: string;
  let stranger: McpCaller;

  beforeAll(async () => {
    facilitator = await startFakeFacilitator();
    const port = await freePort();
    world = await World.start({
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ...facilitator.settings,
    });
    url = await world.listen(port);
    stranger = await McpCaller.connect(url);
  });

  afterEach(async () => {
    facilitator.reset();
    await world.expectBooksToBalance();
  });

  afterAll(async () => {
    await stranger.close();
    await world.stop();
    await facilitator.stop();
  });

  const newestJob = async (): Promise<{ id: string; media_id: string | null; charge_id: string }> =>
    (await world.db.one('select id, media_id, charge_id from job order by created_at desc limit 1'))!;

  let began: Date;
  beforeEach(async () => {
    began = (await world.db.one<{ now: Date }>('select now()'))!.now;
  });

  /** The charges of the calls of this test. One that was in doubt before may be charged meanwhile. */
  const charged = async (): Promise<number> => {
    const sql = `select count(*) as n from charge where state = 'charged' and created_at > $1`;
    return Number((await world.db.one<{ n: string }>(sql, [began]))!.n);
  };

  it.each([
    [
      'whose payment failed',
      {
        kind: 'says',
        answer: {
          success: false,
          errorReason: 'insufficient_funds',
          transaction: '',
          network: 'eip155:8453',
        },
      },
      'released',
    ],
    ['whose payment is in doubt', { kind: 'cut' }, 'settling'],
  ] as const)('show nothing of a job %s, and no word leads to it', async (_, fault, state) => {
    facilitator.fail('settle', fault);

    const refused = await stranger.pay(new WalletCaller(), 'generate_image', PICTURE);
    const { id, charge_id: chargeId } = await newestJob();
    const answers = [
      await stranger.call('get_job', { jobId: id }),
      await stranger.call('wait_for_job', { jobId: id, waitSeconds: 2 }),
      await stranger.call('wait_for_job', { jobId: chargeId, waitSeconds: 1 }),
      await stranger.call('get_job', { jobId: `../charges/${chargeId}` }),
      await stranger.call('get_job', { jobId: `..%2f..%2faccount` }),
    ];

    expect(refused.isError).toBe(true);
    expect(textsIn([refused])).not.toContain(id);
    for (const answer of answers) {
      expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'NOT_FOUND' } } });
      expect(textsIn([answer.content])).not.toContain('"image"');
    }
    const [charge] = await world.db.rows<{ state: string }>('select state from charge where id = $1', [
      chargeId,
    ]);
    expect(charge?.state).toBe(state);
    const receipt = await world.get(`/v1/agent/charges/${chargeId}`);
    expect(receipt.body).not.toHaveProperty('jobId');
    facilitator.reset();
  });

  it('sell one call for a payment, whatever it is sent with', async () => {
    const wallet = new WalletCaller();
    const payment = await signed(wallet, await stranger.call('chat', CHAT));
    const meta = { 'x402/payment': payment };
    const before = await charged();

    const others = [
      await stranger.call('generate_image', PICTURE, meta),
      await stranger.call('generate_video', { prompt: 'a long film' }, meta),
      await stranger.call('chat', { ...CHAT, max_tokens: 4_000 }, meta),
    ];
    expect(others.map(({ isError }) => isError)).toEqual([true, true, true]);
    expect(await charged()).toBe(before);

    const paid = await stranger.call('chat', CHAT, meta);
    const again = await stranger.call('chat', CHAT, meta);
    const different = await stranger.call(
      'chat',
      { ...CHAT, messages: [{ role: 'user', content: 'Say more.' }] },
      meta,
    );

    expect([paid.isError, again.isError]).toEqual([undefined, undefined]);
    expect(again.structuredContent).toEqual(paid.structuredContent);
    expect(different.isError).toBe(true);
    expect(await charged()).toBe(before + 1);
  });

  it('take no payment of another caller in a header and in the message at once', async () => {
    const rich = await KeyCaller.register(world, 1_000_000n);
    const withKey = await McpCaller.connect(url, { 'x-api-key': rich.key });
    const before = await charged();

    const answer = await withKey.call('chat', CHAT, { 'x402/payment': 'nonsense' });
    await withKey.close();

    expect(answer.isError).toBe(true);
    expect(await charged()).toBe(before);
  });

  it.each<[string, unknown]>([
    ['a list', []],
    ['a number', 7],
    ['a deep one', JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`)],
    ['an empty text', ''],
    ['a line break', 'a\r\nx-api-key: lp_x'],
    ['letters of all scripts', 'ключ🙂'],
    ['null', null],
    ['a long one', 'A'.repeat(60_000)],
  ])('refuse as a payment %s', async (_, payment) => {
    const answer = await stranger.call('chat', CHAT, { 'x402/payment': payment });

    expect(answer.isError).toBe(true);
    expect(textsIn([answer])).not.toMatch(/INTERNAL|TypeError|ERR_/);
  });

  it('let nobody work from, look at or delete what another has stored', async () => {
    const owner = await KeyCaller.register(world, 50_000_000n);
    const thief = await KeyCaller.register(world, 50_000_000n);
    const stored: Answer = await world.post(
      '/v1/agent/references',
      { media: await pictureUri(), label: 'my secret face' },
      { 'x-api-key': owner.key },
    );
    const { id } = stored.body.asset as { id: string };
    const asThief = await McpCaller.connect(url, { 'x-api-key': thief.key });

    const tries = [
      await asThief.call('generate_image', { prompt: 'the same', modelId: 'ember-edit', referenceIds: [id] }),
      await asThief.call('delete_reference', { id }),
      await stranger.call('generate_image', { prompt: 'it', modelId: 'ember-edit', referenceIds: [id] }),
      await stranger.call('delete_reference', { id }),
      await stranger.call('list_references'),
    ];
    const list = await asThief.call('list_references');
    await asThief.close();

    expect(tries.map(({ isError }) => isError)).toEqual([true, true, true, true, true]);
    expect(list.structuredContent).toMatchObject({ refs: [] });
    expect(textsIn([...tries, list])).not.toContain('my secret face');
    expect(await world.db.rows('select 1 from reference where id = $1', [id])).toHaveLength(1);
    expect(await world.db.rows('select 1 from charge where payer = $1', [thief.accountId])).toEqual([]);
  });

  it('take one message at a time, and count each', async () => {
    const batch = Array.from({ length: 500 }, () => messageOf('quote', { modelId: 'ember-image' }));

    const answer = await world.post('/mcp?payment=x402', batch, {
      accept: 'application/json, text/event-stream',
    });

    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain('priceMicro');
  });
});

describe('the tools, for somebody who walks around limits', () => {
  let world: World;
  let host: Server;
  let fetches = 0;
  const LIMIT = 20;

  beforeAll(async () => {
    const bytes = await picture('red');
    host = createServer((_request, response) => {
      fetches += 1;
      response.setHeader('content-type', 'image/png').end(bytes);
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    world = await World.start({
      RATE_LIMIT_CHALLENGE: String(LIMIT),
      FETCH_ALLOW_HOSTS: `127.0.0.1:${(host.address() as AddressInfo).port}`,
    });
  });

  afterAll(async () => {
    await world.expectBooksToBalance();
    await world.stop();
    host.close();
  });

  const send = (message: object, headers: Readonly<Record<string, string>>, from: string): Promise<Answer> =>
    world.send({
      method: 'POST',
      url: '/mcp?payment=x402',
      remoteAddress: from,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        host: new URL(world.settings.http.publicUrl).host,
        ...headers,
      },
      payload: JSON.stringify(message),
    });

  it.each<[string, (at: number) => Readonly<Record<string, string>>]>([
    ['no credential', () => ({})],
    ['keys that are none', (at) => ({ 'x-api-key': `lp_${String(at).padStart(64, 'A')}` })],
    ['junk', (at) => ({ authorization: `Bearer ${at}` })],
    ['sign-ins that are none', (at) => ({ 'sign-in-with-x': Buffer.from(String(at)).toString('base64') })],
    ['payments that are none', (at) => ({ 'payment-signature': String(at) })],
  ])('count calls with %s by address, as the routes do', async (what, headersOf) => {
    const from = `10.1.${what.length}.1`;
    const { port } = host.address() as AddressInfo;
    const message = messageOf('generate_image', {
      prompt: 'the same, in blue',
      modelId: 'ember-edit',
      image: `http://127.0.0.1:${port}/a.png`,
    });

    const answers = await Promise.all(
      Array.from({ length: LIMIT * 3 }, (_, at) => send(message, headersOf(at), from)),
    );

    const passed = answers.filter(
      ({ status, body }) => status === 200 && !JSON.stringify(body).includes('RATE_LIMITED'),
    );
    expect(passed.length).toBeLessThanOrEqual(LIMIT);
    expect(fetches).toBe(0);
    expect(await world.db.rows('select 1 from job')).toEqual([]);
    await expectEventually(async () => (await world.get('/health/live')).status === 200);
  });

  it('take no large body of somebody unproven, and none that is no message', async () => {
    const large = 'x'.repeat(13 * 1024 * 1024);
    const answers = await Promise.all([
      send(messageOf('chat', { messages: [{ role: 'user', content: large }] }), {}, '10.2.0.1'),
      send({ jsonrpc: '2.0', id: large, method: 'ping' }, {}, '10.2.0.2'),
      send(messageOf(large), { 'x-api-key': 'lp_junk' }, '10.2.0.3'),
    ]);

    for (const { status } of answers) expect([400, 401, 402, 413]).toContain(status);
  });
});
