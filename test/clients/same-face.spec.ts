import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import {
  BudgetExceeded,
  Lamppost,
  type LamppostOptions,
  NoAnswer,
  type Source,
} from '../../clients/typescript/src/lamppost';
import { type Reply, Stand, json, page, silence } from './stand';

const PAID = { 'x-charge-id': 'ch_1', 'x-charge-micro': '5', 'x-request-id': 'req_1' };
const PNG = Buffer.from('\x89PNG and more', 'latin1');
const MODELS = {
  textModels: [{ id: 'words', default: true, inputUsdPerMtok: '1', outputUsdPerMtok: '1' }],
};

/** The abilities of both packages. `clients/python/tests/test_whole.py` has the same for Python. */
describe('the client', () => {
  let stand: Stand;

  beforeEach(async () => {
    stand = await new Stand().start();
  });
  afterEach(() => stand.stop());

  const clientOf = (more: Partial<LamppostOptions> = {}): Lamppost =>
    new Lamppost({
      baseUrl: stand.origin,
      key: 'lp_0123456789',
      tries: 1,
      onRetry: () => undefined,
      ...more,
    });
  const done = () => json({ status: 'done', url: `${stand.origin}/made` }, PAID);
  const png = page(200, 'image/png', PNG.toString('latin1'));
  const bodies = () => stand.received.map(({ body }) => JSON.parse(body.toString() || 'null'));

  it('says why an answer ended, and which request it was', async () => {
    const choice = { message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'length' };
    const events = [
      { choices: [{ delta: { content: 'Hi.' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      { charge: { id: 'ch_1', priceMicro: 5 } },
    ];
    const text = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
    stand.replies = [json({ choices: [choice] }, PAID), page(200, 'text/event-stream', text, PAID), done()];
    const client = clientOf();
    const answer = await client.chat('Hello.');
    let last: object = {};
    for await (const piece of client.stream('Hello.')) last = piece;

    expect(answer).toMatchObject({ text: 'Hi.', finishReason: 'length', requestId: 'req_1' });
    expect(last).toMatchObject({ finishReason: 'stop', requestId: 'req_1', charge: { micro: 5 } });
    expect((await client.image('a fox')).requestId).toBe('req_1');
    expect(await client.start('a fox')).toMatchObject({ requestId: 'req_1', charge: { id: 'ch_1' } });
  });

  it('shows the response with the charge, or else the last one', async () => {
    const models = json(MODELS, { 'x-request-id': 'req_2' });
    stand.replies = [done(), models, models];
    const client = clientOf();
    const made = await client.withResponse(async (how) => {
      const medium = await client.image('a fox', how);
      await client.models(how);
      return medium.url;
    });
    const free = await client.withResponse((how) => client.models(how));

    expect(made).toMatchObject({ data: `${stand.origin}/made`, requestId: 'req_1' });
    expect(made.response.headers.get('x-charge-id')).toBe('ch_1');
    expect([free.requestId, free.response.status]).toEqual(['req_2', 200]);
  });

  it('sends its headers to the service, and to no other address', async () => {
    stand.replies = [done(), png];
    const headers = { 'X-Gateway': 'ours', 'X-API-Key': 'lp_other' };
    await (await clientOf({ headers }).image('a fox')).bytes();

    const [paid, file] = stand.received.map((one) => one.headers);
    expect(paid).toMatchObject({ 'x-gateway': 'ours', 'x-api-key': 'lp_0123456789' });
    expect(file).not.toHaveProperty('x-gateway');
    expect(file).not.toHaveProperty('x-api-key');
  });

  it('takes files, paths and addresses at any port', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'source-')), 'fox.png');
    writeFileSync(path, PNG);
    const client = clientOf();
    const bytes = new Uint8Array(PNG);
    const sources: Source[] = [
      path,
      pathToFileURL(path),
      bytes,
      new Blob([bytes]),
      new Blob([bytes]).stream(),
    ];
    stand.replies = [done()];
    for (const image of sources) await client.image('a fox', { image });
    const data = `data:image/png;base64,${PNG.toString('base64')}`;
    expect(bodies().map(({ image }) => image)).toEqual(sources.map(() => data));

    stand.received.length = 0;
    stand.replies = [page(200, 'image/png', 'a picture'), done()];
    await client.image('a fox', { image: new URL(`${stand.origin}/fox.png`) });
    const far = ['https://pictures.example/fox.png', new URL('https://pictures.example:443/fox.png')];
    await client.image('a fox', { sources: [...far, data] });
    const [, near, others] = bodies();
    expect(near.image).toBe(`data:image/png;base64,${Buffer.from('a picture').toString('base64')}`);
    expect(others.sources).toEqual([far[0], far[0], data]);
    await expect(client.image('a fox', { image: 'no-such.png' })).rejects.toThrow('ENOENT');
  });

  it('speaks and listens', async () => {
    stand.replies = [page(200, 'audio/mpeg', 'ID3', PAID), json({ text: 'Hi.' }, PAID)];
    const client = clientOf();
    const speech = await client.audio.speak('Hi.', { voice: 'alloy', format: 'mp3' });
    const transcript = await client.audio.transcribe(await speech.blob(), { language: 'en' });

    expect([Buffer.from(await speech.bytes()).toString(), speech.charge.micro]).toEqual(['ID3', 5]);
    expect(transcript).toMatchObject({ text: 'Hi.', requestId: 'req_1', charge: { id: 'ch_1' } });
    const [spoken, form] = stand.received;
    expect(JSON.parse(spoken!.body.toString())).toEqual({
      input: 'Hi.',
      voice: 'alloy',
      response_format: 'mp3',
    });
    expect(form!.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(form!.body.toString()).toMatch(
      /name="language"\r\n\r\nen\r\n[^]*name="file"; filename="file"[^]*ID3/,
    );
  });

  it('speaks within its budget', async () => {
    stand.replies = [json({ priceMicro: 7 }), page(200, 'audio/mpeg', 'ID3', PAID)];
    const client = clientOf({ budget: { total: 0.01 } });
    const speech = await client.audio.speak('Hi.');

    expect(Buffer.from(await speech.bytes()).toString()).toBe('ID3');
    expect(bodies().map(({ dryRun }) => dryRun)).toEqual([true, undefined]);
    expect(await client.budget.state()).toMatchObject({ spentMicro: 5, reservedMicro: 0 });
  });

  it('runs batches within its budget', async () => {
    const batch = { id: 'batch_1', output_file_id: 'file_2', error_file_id: null, request_counts: {} };
    const result = { custom_id: 'first', response: { status_code: 200, body: {} }, error: null };
    stand.replies = [
      json(MODELS),
      json({ id: 'file_1' }),
      json(batch),
      json({ ...batch, status: 'completed' }),
      json({ ...batch, status: 'completed' }),
      page(200, 'application/jsonl', `${JSON.stringify(result)}\n`),
    ];
    const client = clientOf({ budget: { total: 0.01 } });
    const calls = { first: { messages: [], max_tokens: 50 }, second: { messages: [], maxPriceMicro: 70 } };
    const { id } = await client.batches.create(calls);
    const { spentMicro, reservedMicro } = await client.budget.state();

    expect(spentMicro).toBeGreaterThan(120);
    expect(spentMicro).toBeLessThan(300);
    expect(reservedMicro).toBe(0);
    expect(stand.received[1]!.body.toString()).toMatch(/"custom_id":"first".*"maxPriceMicro":\d+/);
    expect((await client.batches.wait(id)).status).toBe('completed');
    expect(await client.batches.results(id)).toEqual({ first: result });

    stand.received.length = 0;
    await expect(
      client.batches.create({ first: { messages: [], max_tokens: 50_000 } }),
    ).rejects.toBeInstanceOf(BudgetExceeded);
    expect(stand.received.filter(({ path }) => path === '/v1/files')).toEqual([]);
  });

  it('reads the results of a batch until they are whole', async () => {
    const batch = { id: 'batch_1', output_file_id: 'file_2', error_file_id: null, request_counts: {} };
    const lines = ['first', 'second'].map((name) => JSON.stringify({ custom_id: name }));
    const broken: Reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/jsonl', 'content-length': '1000' });
      response.write(`${lines[0]}\n`, () => response.destroy());
    };
    stand.replies = [
      silence,
      json(batch),
      broken,
      ...Array<Reply>(2).fill(silence),
      page(200, 'application/jsonl', lines.join('\n')),
    ];

    expect(Object.keys(await clientOf({ tries: undefined }).batches.results('batch_1'))).toEqual([
      'first',
      'second',
    ]);
  });

  it('makes one batch by one key, and counts it once', async () => {
    const batch = { id: 'batch_1', request_counts: {} };
    const client = clientOf({ budget: { total: 0.01 } });
    const create = (idempotencyKey?: string): Promise<unknown> =>
      client.batches.create({ first: { messages: [], maxPriceMicro: 70 } }, { idempotencyKey });
    const errors: unknown[] = [];
    // No answer, the JSON of another server, and no answer to the upload.
    for (const lost of [
      [json({ id: 'file_1' }), silence],
      [json({})],
      [json({ id: 'file_1' }), json({ id: 1 })],
    ]) {
      stand.received.length = 0;
      stand.replies = lost;
      errors.push(await create(errors.length === 0 ? undefined : 'a mark').catch((error: unknown) => error));
    }
    expect(errors.every((error) => error instanceof NoAnswer)).toBe(true);
    const { idempotencyKey } = errors[0] as NoAnswer;
    expect(stand.marks).toEqual(new Set(['a mark']));
    expect(await client.budget.state()).toMatchObject({ spentMicro: 0, reservedMicro: 140 });

    for (const replayed of [{}, { 'idempotent-replayed': 'true' }]) {
      stand.received.length = 0;
      stand.replies = [json({ id: 'file_1' }), json(batch, replayed)];
      expect(await create(idempotencyKey)).toEqual(batch);
    }
    expect(stand.marks).toEqual(new Set([idempotencyKey]));
    expect(await client.budget.state()).toMatchObject({ spentMicro: 70, reservedMicro: 70 });
  });

  it('signs once for a call that is repeated a thousand times', async () => {
    const offer = {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '5',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bDA02913',
      payTo: `0x${'2'.repeat(40)}`,
      maxTimeoutSeconds: 60,
    };
    const required = Buffer.from(JSON.stringify({ accepts: [offer], resource: {} })).toString('base64');
    const send: typeof fetch = (_, init) =>
      Promise.resolve(
        new Headers(init?.headers).has('PAYMENT-SIGNATURE')
          ? Response.json({ choices: [] }, { headers: PAID })
          : Response.json({}, { status: 402, headers: { 'payment-required': required } }),
      );
    let signed = 0;
    const signTypedData = (): Promise<string> => {
      signed += 1;
      return Promise.resolve(`0x${'3'.repeat(130)}`);
    };
    const wallet = { address: `0x${'1'.repeat(40)}`, signTypedData, signMessage: signTypedData } as never;
    const client = new Lamppost({ baseUrl: stand.origin, wallet, fetch: send });
    for (let turn = 0; turn < 1_003; turn += 1) await client.chat('Hello.', { idempotencyKey: 'mine' });

    expect(signed).toBe(1);
    expect((await client.budget.state()).spentMicro).toBe(5);
  });
});
