import { request } from 'node:http';

import OpenAI, { toFile } from 'openai';

import { BatchLineRepository } from '#work/batches/batch-line.repository';
import { BatchRepository } from '#work/batches/batch.repository';
import { Catalog } from '#models/catalog/catalog';
import { expectEventually } from '../support/eventually';
import { KeyCaller, WalletCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { forgetRoutes } from '../support/routes';
import { World } from '../support/world';

const FUNDS = 1_000_000;
/** The price of these tokens in micro-USD, at ten cents and forty cents for a million. */
const priceOf = (read: number, written: number): number =>
  Math.ceil((read * 100_000 + written * 400_000) / 1_000_000);
/** The usual answer of the fake has 9 and 3 tokens; the discount is 50 percent. */
const DISCOUNTED = Math.ceil(priceOf(9, 3) / 2);

const lineOf = (customId: string, body: object = {}): string =>
  JSON.stringify({
    custom_id: customId,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: `Say ${customId}.` }], max_tokens: 16, ...body },
  });

const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

describe('Batches, with the stock client of their maker', () => {
  let world: World;
  let vendor: FakeChatCompletions;
  let url: string;
  let caller: KeyCaller;
  let client: OpenAI;

  beforeAll(async () => {
    vendor = await FakeChatCompletions.start();
    world = await World.start({
      OPENAI_BASE_URL: `${vendor.origin}/v1`,
      OPENAI_API_KEY: vendor.key,
      OPENAI_COMPATIBLE_SERVERS: 'another',
      ANOTHER_BASE_URL: `${vendor.origin}/v1`,
      ANOTHER_API_KEY: vendor.key,
      ALLOW_SANDBOX_MIX: 'true',
      BATCH_CALLS_AT_ONCE: '2',
      BATCH_DISCOUNT_PERCENT: '50',
      // The calls of a batch have a separate rate limit.
      RATE_LIMIT_CHAT: '1',
      ...catalogOf(
        [],
        [
          textEntry('other', ['openai:gpt-4o'], { default: true }),
          textEntry('released', [], {
            aliases: ['released-2407'],
            routes: [
              { provider: 'openai', model: 'gpt-4o', releases: { 'released-2407': 'gpt-4o' } },
              { provider: 'another', model: 'gpt-4o' },
            ],
          }),
          // Its output costs nine tenths of its price.
          textEntry('costly', [], {
            routes: [{ provider: 'openai', model: 'gpt-4o', costUsd: { input: '0.01', output: '0.36' } }],
          }),
        ],
      ),
    });
    url = await world.listen();
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(world, BigInt(FUNDS));
    client = clientOf(caller);
  });

  afterEach(async () => {
    vendor.forgiveAll();
    forgetRoutes(world);
    await world.expectBooksToBalance();
  });

  afterAll(async () => {
    await world.stop();
    await vendor.stop();
  });

  const clientOf = ({ key }: KeyCaller): OpenAI =>
    new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });

  const uploaded = async (text: string): Promise<string> => {
    const file = await client.files.create({
      purpose: 'batch',
      file: await toFile(Buffer.from(text), 'calls.jsonl'),
    });
    return file.id;
  };

  const made = async (lines: readonly string[]): Promise<OpenAI.Batch> =>
    client.batches.create({
      input_file_id: await uploaded(textOf(lines)),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata: { purpose: 'a test' },
    });

  const ended = async (id: string): Promise<OpenAI.Batch> => {
    let batch = await client.batches.retrieve(id);
    await expectEventually(async () => {
      batch = await client.batches.retrieve(id);
      return ['completed', 'cancelled', 'expired', 'failed'].includes(batch.status);
    });
    return batch;
  };

  /** A batch ends its key at the end, so the key comes back only after that. */
  const restoreKey = (id: string): Promise<void> =>
    expectEventually(async () => {
      const rows = await world.db.rows(
        `update api_key set deleted_at = null from batch b
         where b.paying_key_id = api_key.id and b.id = $1 and deleted_at is not null returning b.id`,
        [id],
      );
      return rows.length > 0;
    });

  const linesIn = async (id: string | null | undefined): Promise<Record<string, never>[]> =>
    (await (await client.files.content(id!)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  const money = async () => (await world.get('/v1/account', { cookie: caller.cookie })).body;

  const failure = async (asked: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    return error as InstanceType<typeof OpenAI.APIError>;
  };

  it('work off their calls, each a charge of its own at the discount, and return the rest', async () => {
    const names = Array.from({ length: 25 }, (_, at) => `call-${at}`);
    const batch = await made(names.map((name) => lineOf(name)));
    expect(batch).toMatchObject({ object: 'batch', status: 'in_progress', metadata: { purpose: 'a test' } });

    const done = await ended(batch.id);
    expect(done).toMatchObject({
      status: 'completed',
      error_file_id: null,
      request_counts: { total: 25, completed: 25, failed: 0 },
    });
    const answers = await linesIn(done.output_file_id);
    expect(answers.map((answer) => answer['custom_id'])).toEqual(names);
    for (const answer of answers) {
      expect(answer).toMatchObject({
        error: null,
        response: { status_code: 200, body: { choices: [{ message: { content: 'Hello there.' } }] } },
      });
    }
    await expectEventually(async () => (await money()).balanceMicro === FUNDS - 25 * DISCOUNTED);
    const charges = await world.db.rows<{ price: string; n: number }>(
      `select price_micro as price, count(*)::integer as n from charge c join batch b on b.paying_key_id = c.key_id
       where b.id = $1 and state = 'charged' group by 1`,
      [batch.id],
    );
    expect(charges).toEqual([{ price: String(DISCOUNTED), n: 25 }]);
  });

  it('never cost less than at the vendor, whatever the discount', async () => {
    const batch = await made([lineOf('a', { model: 'costly' })]);
    await ended(batch.id);
    await expectEventually(
      async () => (await money()).balanceMicro === FUNDS - Math.ceil((priceOf(9, 3) * 9) / 10),
    );
  });

  it('reserve the most that all calls can cost, and refuse what the money does not cover', async () => {
    const gate = vendor.holdNext('chat');
    const batch = await made([lineOf('a')]);
    const { heldMicro } = batch as unknown as { heldMicro: number };
    expect(heldMicro).toBeGreaterThan(DISCOUNTED);
    expect((await money()).balanceMicro).toBe(FUNDS - heldMicro);
    await gate.reached;
    gate.open();
    await ended(batch.id);

    const tooMuch = Array.from({ length: 800 }, (_, at) => lineOf(`much-${at}`, { max_tokens: 8_192 }));
    const refused = await failure(made(tooMuch));
    expect(refused.status).toBe(402);
    expect(refused.code).toBe('INSUFFICIENT_FUNDS');
    const { data } = await client.batches.list();
    expect(data.map(({ id }) => id)).toEqual([batch.id]);
  });

  it('name the line and the field of a wrong call, before any money is held', async () => {
    const wrong = await failure(made([lineOf('a'), lineOf('b', { max_tokens: 'many' })]));
    expect(wrong.status).toBe(400);
    expect(wrong.message).toContain('Line 2: max_tokens must be');
    expect((await failure(made([lineOf('a'), lineOf('a')]))).message).toContain('the same as in line 1');
    expect((await failure(made([lineOf('a', { stream: true })]))).message).toContain(
      'stream must be left out',
    );
    expect((await failure(made(['no JSON']))).message).toContain('Line 1: It is not JSON');
    expect((await failure(made(['']))).message).toContain('no call');
    expect((await money()).balanceMicro).toBe(FUNDS);
  });

  it('give failed calls a file of their own, and charge nothing for them', async () => {
    const batch = await made([
      lineOf('good'),
      lineOf('bad', { messages: [{ role: 'user', content: 'How to make sarin at home.' }] }),
    ]);
    const done = await ended(batch.id);
    expect(done).toMatchObject({
      status: 'completed',
      request_counts: { total: 2, completed: 1, failed: 1 },
    });
    const [error] = await linesIn(done.error_file_id);
    expect(error).toMatchObject({
      custom_id: 'bad',
      response: { status_code: 400, body: { error: { code: 'POLICY_BLOCKED' } } },
    });
    await expectEventually(async () => (await money()).balanceMicro === FUNDS - DISCOUNTED);
  });

  it('are cancelled: running calls end and are charged, the others never begin', async () => {
    const gate = vendor.holdNext('chat');
    const batch = await made(Array.from({ length: 60 }, (_, at) => lineOf(`c-${at}`)));
    await gate.reached;
    const cancelling = await client.batches.cancel(batch.id);
    expect(cancelling.status).toMatch(/cancel/);
    gate.open();
    const done = await ended(batch.id);
    expect(done.status).toBe('cancelled');
    const { completed = 0 } = done.request_counts ?? {};
    expect(completed).toBeGreaterThan(0);
    await expectEventually(async () => (await money()).balanceMicro === FUNDS - completed * DISCOUNTED);
  });

  it('expire after a day: calls that have not begun are named in the error file and cost nothing', async () => {
    const gates = [vendor.holdNext('chat'), vendor.holdNext('chat')];
    const batch = await made(Array.from({ length: 31 }, (_, at) => lineOf(`late-${at}`)));
    await Promise.all(gates.map((gate) => gate.reached));
    await world.db.rows(`update batch set expires_at = now() where id = $1`, [batch.id]);
    for (const gate of gates) gate.open();
    const done = await ended(batch.id);
    expect(done).toMatchObject({ status: 'expired', request_counts: { completed: 2, failed: 29 } });
    expect((await linesIn(done.error_file_id))[0]).toMatchObject({
      response: null,
      error: { code: 'batch_expired' },
    });
    await expectEventually(async () => (await money()).balanceMicro === FUNDS - 2 * DISCOUNTED);
  });

  it('refund no call of their owner that was sent with the idempotency key of a line', async () => {
    const gates = [vendor.holdNext('chat'), vendor.holdNext('chat')];
    const lines = [lineOf('one'), lineOf('two'), lineOf('three')];
    const batch = (await made(lines)) as OpenAI.Batch & { readonly payingKeyId: string };
    await Promise.all(gates.map((gate) => gate.reached));
    const { body } = JSON.parse(lines[2]!) as { readonly body: object };
    const direct = await world.post('/v1/chat/completions', body, {
      'x-api-key': caller.key,
      'idempotency-key': `${batch.payingKeyId}:${batch.id}-3`,
    });
    expect(direct.status).toBe(200);
    await world.db.rows('delete from replay where charge_id = $1', [direct.headers['x-charge-id']]);
    for (const gate of gates) gate.open();
    expect(await ended(batch.id)).toMatchObject({ request_counts: { completed: 3, failed: 0 } });
    const states = await world.db.rows<{ state: string }>('select state from charge where payer = $1', [
      caller.accountId,
    ]);
    expect(states.map(({ state }) => state)).toEqual(['charged', 'charged', 'charged', 'charged']);
  });

  it('end the calls of a model that retires meanwhile as failed, and take no new ones', async () => {
    const model = world.app.get(Catalog, { strict: false }).all.text.get('other') as {
      isListed?: boolean;
      retiresOn?: string;
    };
    const gates = [vendor.holdNext('chat'), vendor.holdNext('chat')];
    const lines = [lineOf('one'), lineOf('two'), lineOf('three')];
    const batch = await made(lines);
    await Promise.all(gates.map((gate) => gate.reached));
    try {
      Object.assign(model, { isListed: true, retiresOn: '2026-01-01' });
      for (const gate of gates) gate.open();
      expect(await ended(batch.id)).toMatchObject({ request_counts: { completed: 2, failed: 1 } });
      await expect(made(lines)).rejects.toThrow(/Line 1: other retired on 2026-01-01/);
    } finally {
      delete model.isListed;
      delete model.retiresOn;
    }
  });

  it('end the calls of a model that goes off sale meanwhile at once, with its error', async () => {
    const catalog = world.app.get(Catalog, { strict: false });
    const gates = [vendor.holdNext('chat'), vendor.holdNext('chat')];
    const batch = await made([lineOf('one'), lineOf('two'), lineOf('three')]);
    await Promise.all(gates.map((gate) => gate.reached));
    try {
      catalog.sellWithout({ models: new Set(['other']), providers: new Set() });
      for (const gate of gates) gate.open();
      const { request_counts: counts, error_file_id: errors } = await ended(batch.id);
      expect(counts).toMatchObject({ completed: 2, failed: 1 });
      expect(JSON.stringify(await linesIn(errors))).toContain('NOT_OFFERED');
    } finally {
      catalog.sellWithout({ models: new Set(), providers: new Set() });
    }
  });

  it('end the calls of a release whose only vendor goes off meanwhile at once, with its error', async () => {
    const catalog = world.app.get(Catalog, { strict: false });
    const gates = [vendor.holdNext('chat'), vendor.holdNext('chat')];
    const model = 'released-2407';
    const batch = await made([
      lineOf('one', { model }),
      lineOf('two', { model }),
      lineOf('three', { model }),
    ]);
    await Promise.all(gates.map((gate) => gate.reached));
    try {
      catalog.sellWithout({ models: new Set(), providers: new Set(['openai'] as never) });
      for (const gate of gates) gate.open();
      const { request_counts: counts, error_file_id: errors } = await ended(batch.id);
      expect(counts).toMatchObject({ completed: 2, failed: 1 });
      expect(JSON.stringify(await linesIn(errors))).toContain('released-2407 is not sold');
    } finally {
      catalog.sellWithout({ models: new Set(), providers: new Set() });
    }
  });

  it('repeat a call whose vendor once did not know a model that is for sale', async () => {
    vendor.failNext('chat', 404);
    const batch = await made([lineOf('one'), lineOf('two')]);
    await expectEventually(async () => {
      await world.db.rows('update batch_line set due_at = now() where batch_id = $1', [batch.id]);
      return (await client.batches.retrieve(batch.id)).status === 'completed';
    });
    const { request_counts: counts } = await client.batches.retrieve(batch.id);
    expect(counts).toMatchObject({ completed: 2, failed: 0 });
    expect((await money()).balanceMicro).toBe(FUNDS - 2 * DISCOUNTED);
  });

  it('charge a call once when its process dies after the charge and before its answer is stored', async () => {
    const batch = await made([lineOf('once')]);
    await ended(batch.id);
    const { n } = (await world.db.one<{ n: number }>('select count(*)::integer as n from charge', []))!;
    // The rows that a dead process leaves: the call is running, and its lease has ended. The lease ends last, so that no
    // process finishes the batch before all rows are as they should be.
    await world.db.rows(
      `update batch_line set state = 'running', lease_until = now() + interval '1 hour', answer = null where batch_id = $1`,
      [batch.id],
    );
    await restoreKey(batch.id);
    await world.db.rows(
      `update batch set status = 'in_progress', ended_at = null, output_file_id = null where id = $1`,
      [batch.id],
    );
    await world.db.rows('delete from batch_file where batch_id = $1', [batch.id]);
    await world.db.rows('update batch_line set lease_until = now() where batch_id = $1', [batch.id]);
    const asked = vendor.bodies.length;
    const done = await ended(batch.id);
    expect((await linesIn(done.output_file_id))[0]).toMatchObject({ custom_id: 'once', error: null });
    expect(vendor.bodies).toHaveLength(asked);
    expect((await world.db.one<{ n: number }>('select count(*)::integer as n from charge', []))!.n).toBe(n);
  });

  it('work from a file that nobody can delete while they are made or open', async () => {
    const file = await uploaded(textOf([lineOf('a'), lineOf('b')]));
    const repository = world.app.get(BatchRepository, { strict: false });
    const add = repository.add.bind(repository);
    // The file is deleted after it was priced, and before the batch is written.
    const spy = jest.spyOn(repository, 'add').mockImplementationOnce(async (...args) => {
      await client.files.delete(file);
      return add(...args);
    });
    const late = await failure(
      client.batches.create({
        input_file_id: file,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      }),
    );
    spy.mockRestore();
    expect([late.status, late.param]).toEqual([404, 'input_file_id']);
    expect((await client.batches.list()).data).toEqual([]);
    expect((await money()).balanceMicro).toBe(FUNDS);

    const gate = vendor.holdNext('chat');
    const batch = await made([lineOf('c')]);
    await gate.reached;
    expect((await failure(client.files.delete(batch.input_file_id))).status).toBe(409);
    // The database refuses it too, for a statement that began before the batch was committed.
    await expect(
      world.db.rows('delete from batch_file where id = $1', [batch.input_file_id]),
    ).rejects.toThrow('batch_open_file');
    gate.open();
    await ended(batch.id);
    await client.files.delete(batch.input_file_id);
  });

  it('end even if the text of a call is gone or unreadable, and return the money', async () => {
    const gate = vendor.holdNext('chat');
    const batch = await made(['one', 'two', 'three', 'four'].map((name) => lineOf(name)));
    await gate.reached;
    await world.db.rows(`delete from batch_file_line where file_id = $1 and line = 3`, [batch.input_file_id]);
    await world.db.rows(`update batch_file_line set sealed = '\\x00' where file_id = $1 and line = 4`, [
      batch.input_file_id,
    ]);
    gate.open();

    const done = await ended(batch.id);

    expect(done).toMatchObject({ status: 'completed', request_counts: { completed: 2, failed: 2 } });
    for (const line of await linesIn(done.error_file_id))
      expect(line).toMatchObject({ response: null, error: { code: 'file_line_missing' } });
    await expectEventually(async () => (await money()).balanceMicro === FUNDS - 2 * DISCOUNTED);
  });

  it('end a call whose every try fails here, and refund its charge', async () => {
    const batch = await made([lineOf('lost')]);
    await ended(batch.id);
    await restoreKey(batch.id);
    await world.db.rows('delete from batch_file where batch_id = $1', [batch.id]);
    const repository = world.app.get(BatchLineRepository, { strict: false });
    const finish = repository.finish.bind(repository);
    const spy = jest
      .spyOn(repository, 'finish')
      .mockImplementation((end) =>
        end.state === 'done' ? Promise.reject(new Error('the answer is too large')) : finish(end),
      );
    await world.db.rows(
      `update batch_line set state = 'running', lease_until = now() - interval '1 second', tries = 11, answer = null
       where batch_id = $1`,
      [batch.id],
    );
    await world.db.rows(
      `update batch set status = 'in_progress', ended_at = null, output_file_id = null where id = $1`,
      [batch.id],
    );

    const done = await ended(batch.id);
    spy.mockRestore();

    expect(done).toMatchObject({ status: 'completed', request_counts: { completed: 0, failed: 1 } });
    const charges = await world.db.rows(
      `select state from charge c join batch b on b.paying_key_id = c.key_id where b.id = $1`,
      [batch.id],
    );
    expect(charges).toEqual([{ state: 'refunded' }]);
  });

  it('that cannot be ended hold up no other', async () => {
    const repository = world.app.get(BatchRepository, { strict: false });
    const end = repository.end.bind(repository);
    const stuck: string[] = [];
    const spy = jest
      .spyOn(repository, 'end')
      .mockImplementation((id, files) =>
        stuck.includes(id) ? Promise.reject(new Error('it cannot be ended')) : end(id, files),
      );
    const gate = vendor.holdNext('chat');
    const first = await made([lineOf('first')]);
    stuck.push(first.id);
    gate.open();
    const second = await made([lineOf('second')]);

    expect((await ended(second.id)).status).toBe('completed');
    stuck.length = 0;
    spy.mockRestore();
    await world.db.rows(`update sweep_pause set retry_at = now()`);
    expect((await ended(first.id)).status).toBe('completed');
  });

  it('end with the key that made them', async () => {
    const gate = vendor.holdNext('chat');
    const batch = await made(Array.from({ length: 60 }, (_, at) => lineOf(`k-${at}`)));
    await gate.reached;
    const origin = new URL(world.settings.http.publicUrl).origin;
    await world.send({
      method: 'DELETE',
      url: `/v1/account/keys/${caller.keyId}`,
      headers: { cookie: caller.cookie, origin },
    });
    gate.open();
    await expectEventually(async () => {
      const row = await world.db.one<{ status: string }>('select status from batch where id = $1', [
        batch.id,
      ]);
      return row?.status === 'cancelled';
    });
    const { charged } = (await world.db.one<{ charged: number }>(
      `select count(*)::integer as charged from charge where payer = $1 and state = 'charged'`,
      [caller.accountId],
    ))!;
    await expectEventually(async () => (await money()).balanceMicro === FUNDS - charged * DISCOUNTED);
  });

  it('are made once by a call that is sent twice', async () => {
    const input = await uploaded(textOf([lineOf('a')]));
    const order = {
      input_file_id: input,
      endpoint: '/v1/chat/completions' as const,
      completion_window: '24h' as const,
    };
    const headers = { 'Idempotency-Key': 'the same batch' };
    const [first, second] = await Promise.all([
      client.batches.create(order, { headers }),
      client.batches.create(order, { headers }),
    ]);
    expect(second.id).toBe(first.id);
    const retried = await world.post('/v1/batches', order, {
      'x-api-key': caller.key,
      'idempotency-key': 'the same batch',
    });
    expect(retried.headers['idempotent-replayed']).toBe('true');
    expect(retried.body.id).toBe(first.id);
    await ended(first.id);
  });

  it.each([
    ['its money is reserved', 'add'],
    ['it is started', 'start'],
  ] as const)('go on with the repeated call after their process died before %s', async (_, step) => {
    const repository = world.app.get(BatchRepository, { strict: false });
    const add = repository.add.bind(repository);
    const dies = async (...args: Parameters<typeof add>): Promise<never> => {
      if (step === 'add') await add(...args);
      throw new Error('The process dies.');
    };
    const spy = jest.spyOn(repository, step).mockImplementationOnce(dies as never);
    const body = {
      input_file_id: await uploaded(textOf([lineOf('a'), lineOf('b')])),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    } as const;
    const again = { headers: { 'Idempotency-Key': `died before ${step}` } };
    expect((await failure(client.batches.create(body, again))).status).toBe(500);
    spy.mockRestore();
    const [dead] = (await client.batches.list()).data;
    expect(dead).toMatchObject({ status: 'validating' });

    // Two repetitions at once reserve once.
    const both = await Promise.all([client.batches.create(body, again), client.batches.create(body, again)]);
    expect(both.map(({ id }) => id)).toEqual([dead!.id, dead!.id]);
    expect(await ended(dead!.id)).toMatchObject({ request_counts: { total: 2, completed: 2, failed: 0 } });
    await expectEventually(async () => (await money()).balanceMicro === FUNDS - 2 * DISCOUNTED);
  });

  it('keep the idempotency keys of delegated keys apart from those of their owner', async () => {
    const made = await world.post(
      '/v1/agent/keys',
      { name: 'child', limitMicro: 100_000, expiresInSeconds: 3_600 },
      { 'x-api-key': caller.key },
    );
    const child = String(made.body.key);
    const headers = { 'Idempotency-Key': 'one mark for two' };
    const text = textOf([lineOf('a')]);
    const ids = new Set<string>();
    for (const apiKey of [caller.key, child]) {
      const own = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
      const file = await toFile(Buffer.from(text), 'calls.jsonl');
      const { id } = await own.files.create({ purpose: 'batch', file }, { headers });
      const batch = await own.batches.create(
        { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' },
        { headers },
      );
      ids.add(id).add(batch.id);
    }
    expect(ids.size).toBe(4);
  });

  it('count an upload that still arrives with the most that it can hold', async () => {
    const headers = { 'x-api-key': caller.key, 'content-type': 'multipart/form-data; boundary=x' };
    const field = (name: string, text: string): string =>
      `--x\r\ncontent-disposition: form-data; ${name}\r\n\r\n${text}`;
    const beginning = `${field('name="purpose"', 'batch\r\n')}${field('name="file"; filename="a.jsonl"', '{}\n{')}`;
    const uploads = Array.from({ length: 10 }, () => {
      const upload = request(`${url}/v1/files`, { method: 'POST', headers });
      upload.on('error', () => undefined).write(beginning);
      return upload;
    });
    const open = async (): Promise<number> =>
      (await world.db.one<{ n: number }>(
        'select count(*)::integer as n from batch_file where owner = $1 and ready_at is null',
        [caller.accountId],
      ))!.n;
    await expectEventually(async () => (await open()) === uploads.length);

    const small = await toFile(Buffer.from(textOf([lineOf('a')])), 'calls.jsonl');
    expect((await failure(client.files.create({ purpose: 'batch', file: small }))).status).toBe(409);

    for (const upload of uploads) upload.destroy();
    await expectEventually(async () => (await open()) === 0);
    await client.files.create({ purpose: 'batch', file: small });
  });

  it.each(['/v1/responses', '/v1/messages'] as const)('call %s, too', async (endpoint) => {
    const body =
      endpoint === '/v1/responses'
        ? { input: 'Say hello.', max_output_tokens: 16 }
        : { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 };
    const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: endpoint, body });
    const batch = await client.batches.create({
      input_file_id: await uploaded(textOf([line])),
      endpoint: endpoint as '/v1/responses',
      completion_window: '24h',
    });
    const done = await ended(batch.id);
    expect((await linesIn(done.output_file_id))[0]).toMatchObject({
      custom_id: 'a',
      response: {
        status_code: 200,
        body: endpoint === '/v1/responses' ? { object: 'response' } : { type: 'message' },
      },
    });
  });

  it('belong to their owner alone, and need a key or a session', async () => {
    const text = textOf([lineOf('a')]);
    const input = await uploaded(text);
    expect(await (await client.files.content(input)).text()).toBe(text);
    const batch = await made([lineOf('a')]);
    await ended(batch.id);

    const other = clientOf(await KeyCaller.register(world, BigInt(FUNDS)));
    expect((await failure(other.files.content(input))).status).toBe(404);
    expect((await failure(other.batches.retrieve(batch.id))).status).toBe(404);
    expect((await failure(other.batches.cancel(batch.id))).status).toBe(404);
    expect((await failure(other.files.delete(input))).status).toBe(404);
    const byOther = other.batches.create({
      input_file_id: input,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect((await failure(byOther)).status).toBe(404);

    const wallet = await new WalletCaller().fund(world, 1_000_000n);
    const signedIn = await world.get('/v1/batches', { 'sign-in-with-x': await wallet.signIn(world) });
    expect(signedIn.status).toBe(401);
    const bySession = await world.get('/v1/batches', { cookie: caller.cookie });
    expect(bySession.body.data).toHaveLength(1);

    expect(await client.files.delete(input)).toMatchObject({ deleted: true });
    expect((await failure(client.files.retrieve(input))).status).toBe(404);
  });

  it('store no file of an owner who never paid, of another purpose, or with too many lines', async () => {
    const poor = clientOf(await KeyCaller.register(world, 0n));
    const small = await toFile(Buffer.from(textOf([lineOf('a')])), 'calls.jsonl');
    expect((await failure(poor.files.create({ purpose: 'batch', file: small }))).status).toBe(402);
    expect((await failure(client.files.create({ purpose: 'vision', file: small }))).message).toContain(
      'purpose',
    );
    const many = await toFile(Buffer.from('{}\n'.repeat(10_001)), 'calls.jsonl');
    expect((await failure(client.files.create({ purpose: 'batch', file: many }))).message).toContain(
      '10000 lines',
    );
    expect((await client.files.list()).data).toEqual([]);
  });
});
