import { createHash } from 'node:crypto';

import { decodePaymentRequiredHeader } from '@x402/core/http';

import { BlobStore } from '#platform/storage/blob-store';
import { KeyCaller, WalletCaller } from '../support/caller';
import { catalogOf, pictureEntry } from '../support/catalogs';
import { FakeOpenai } from '../support/fake-openai';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

/** Two cents at the vendor, and the default markup. */
const ONE = 30_770;

describe('several images of one call', () => {
  let world: World;
  let openai: FakeOpenai;
  let caller: KeyCaller;

  beforeAll(async () => {
    openai = await FakeOpenai.start();
    world = await World.start({
      ...openai.env,
      ALLOW_SANDBOX_MIX: 'true',
      MEDIA_SYNC_SECONDS: '5',
      ...catalogOf(
        [
          pictureEntry('several', ['openai:gpt-image-1'], { default: true, capabilities: { n: 3 } }),
          pictureEntry('one', ['openai:gpt-image-1']),
          pictureEntry('remote', ['openai:gpt-image-1'], { capabilities: { n: 4 } }),
          pictureEntry('mixed', ['openai:dall-e-3', 'openai:gpt-image-1'], { capabilities: { n: 2 } }),
        ],
        [],
      ),
    });
    caller = await KeyCaller.register(world, 10_000_000n);
  });

  afterEach(async () => {
    openai.pictures = undefined;
    await world.expectBooksToBalance();
  });
  afterAll(async () => {
    await world.stop();
    await openai.stop();
  });

  const generate = (body: object, headers: Readonly<Record<string, string>> = { 'x-api-key': caller.key }) =>
    world.post('/v1/agent/generate', { prompt: 'a fox', ...body }, headers);
  const images = (body: object) =>
    world.post('/v1/agent/images/generations', { prompt: 'a fox', ...body }, { 'x-api-key': caller.key });
  const balance = async (): Promise<bigint> =>
    BigInt((await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro);
  const job = async () =>
    (await world.db.one<{ id: string; status: string; result_count: number }>(
      'select id, status, result_count from job order by created_at desc limit 1',
    ))!;
  const blobs = async (id: string): Promise<number> => {
    const store = world.app.get(BlobStore, { strict: false });
    const found = await Promise.all(
      [id, `${id}-2`, `${id}-3`].map(async (name) => {
        const blob = await store.get(`media/${name}`);
        blob?.stream.destroy();
        return blob === undefined ? 0 : 1;
      }),
    );
    return found.reduce<number>((sum, one) => sum + one, 0);
  };
  it('cost n times as much, and each is stored, labelled and served', async () => {
    const { status, headers, body } = await generate({ n: 3 });

    expect([status, headers['x-charge-micro']]).toEqual([200, String(3 * ONE)]);
    expect(body.urls).toHaveLength(3);
    expect(body.url).toBe(body.urls[0]);
    const files = await Promise.all(
      body.urls.map((url: string) => world.app.inject({ method: 'GET', url: new URL(url).pathname })),
    );
    const payloads = files.map(({ rawPayload }) => rawPayload as Buffer);
    expect(new Set(payloads.map((bytes) => createHash('sha256').update(bytes).digest('hex'))).size).toBe(3);
    const labels = payloads.map((bytes) => /provenance\/(prv_[\w-]+)/.exec(bytes.toString('latin1'))?.[1]);
    expect(new Set(labels).size).toBe(3);
    for (const label of labels) {
      expect((await world.get(`/v1/agent/provenance/${label}`)).status).toBe(200);
    }
    const { id } = await job();
    const { body: shown } = await world.get(`/v1/agent/jobs/${id}`);
    expect([shown.url, shown.urls]).toEqual([body.url, body.urls]);
  });

  it.each(['url', 'b64_json'])('come as the entries of data: %s', async (format) => {
    const { body } = await images({ n: 2, response_format: format });

    expect(body.data).toHaveLength(2);
    expect(new Set(body.data.map((datum: Record<string, string>) => datum[format])).size).toBe(2);
  });

  it('one is as it was', async () => {
    const { body, headers } = await generate({ n: 1, modelId: 'one' });

    expect(headers['x-charge-micro']).toBe(String(ONE));
    expect(body).not.toHaveProperty('urls');
  });

  it('are quoted, and the quote is for that many only', async () => {
    const quoted = async (n?: number) =>
      (await world.post('/v1/agent/quote', { modelId: 'several', n })).body;
    const two = await quoted(2);

    expect([(await quoted()).priceMicro, two.priceMicro]).toEqual([ONE, 2 * ONE]);
    expect((await generate({ n: 3, quoteId: two.quoteId })).body.error.code).toBe('QUOTE_MISMATCH');
    expect((await generate({ n: 2, quoteId: two.quoteId })).status).toBe(200);
  });

  it('an x402 caller is asked for their whole price, and pays it once', async () => {
    const asked = await generate({ n: 3 }, {});
    const { accepts } = decodePaymentRequiredHeader(asked.headers['payment-required']!);

    expect(asked.status).toBe(402);
    expect(accepts[0]!.amount).toBe(String(3 * ONE));

    const url = await world.listen();
    const paid = await new WalletCaller().payingFetch()(`${url}/v1/agent/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a fox', n: 3 }),
    });
    expect(paid.headers.get('x-charge-micro')).toBe(String(3 * ONE));
    expect(((await paid.json()) as { urls: string[] }).urls).toHaveLength(3);
  });

  it.each([
    [{ modelId: 'one', n: 2 }, 'NOT_CAPABLE', 'n'],
    [{ modelId: 'several', n: 4 }, 'NOT_CAPABLE', 'n'],
    [{ modelId: 'several', n: 5 }, 'INVALID_REQUEST', 'n'],
    [{ modelId: 'several', n: 0 }, 'INVALID_REQUEST', 'n'],
  ])('are refused unpaid where the model does not make them: %j', async (body, code, param) => {
    const before = await balance();
    const answer = await generate(body);

    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, code, param]);
    expect(await balance()).toBe(before);
    expect((await world.post('/v1/agent/quote', { ...body })).status).toBe(400);
  });

  it('go only to a route that makes them in one request', async () => {
    const before = openai.images.length;
    const { body } = await generate({ modelId: 'mixed', n: 2 });

    expect(body.urls).toHaveLength(2);
    expect(openai.images.slice(before).map((sent) => JSON.parse(sent))).toMatchObject([
      { model: 'gpt-image-1', n: 2 },
    ]);
  });

  it('a vendor that delivers fewer gets nobody charged, and nothing is kept', async () => {
    const before = await balance();
    openai.pictures = 2;
    const { status, body } = await generate({ modelId: 'remote', n: 3 });

    expect([status, body.error.code]).toEqual([502, 'PROVIDER_ERROR']);
    expect(await balance()).toBe(before);
    const { id, ...rest } = await job();
    expect(rest).toEqual({ status: 'failed', result_count: 3 });
    expect(await blobs(id)).toBe(0);
  });

  it('a vendor that delivers fewer after the charge gets the whole charge refunded', async () => {
    const before = await balance();
    openai.pictures = 1;
    const gate = openai.holdNext('image');
    const { body } = await generate(
      { modelId: 'remote', n: 2 },
      { 'x-api-key': caller.key, prefer: 'respond-async' },
    );
    expect(body.status).toBe('running');
    gate.open();
    const shown = await world.get(`/v1/agent/jobs/${body.jobId}`, { prefer: 'wait=20' });

    expect(shown.body.status).toBe('failed');
    await expectEventually(async () => (await balance()) === before);
  });

  it('one broken picture among them spoils them all', async () => {
    const before = await balance();
    const data = [openai.files.png, Buffer.from('no picture')].map((each) => ({
      b64_json: each.toString('base64'),
    }));
    openai.failNext('image', { says: { json: { created: 1, data } } });
    const { status } = await generate({ modelId: 'remote', n: 2 });

    expect(status).toBe(502);
    expect(await balance()).toBe(before);
    expect(await blobs((await job()).id)).toBe(0);
  });

  it('a vendor that delivers more has only n of them kept', async () => {
    openai.pictures = 3;
    const { status, body } = await generate({ modelId: 'remote', n: 2 });

    expect([status, body.urls.length]).toEqual([200, 2]);
    expect(await blobs((await job()).id)).toBe(2);
    const rows = await world.db.rows('select from media where job_id = $1', [(await job()).id]);
    expect(rows).toHaveLength(2);
  });

  it('a repeated call gets the same ones, and is charged once', async () => {
    const headers = { 'x-api-key': caller.key, 'idempotency-key': 'several-once' };
    const first = await generate({ n: 2 }, headers);
    const before = await balance();
    const again = await generate({ n: 2 }, headers);

    expect(again.body.urls).toEqual(first.body.urls);
    expect(await balance()).toBe(before);
  });

  it('no process can end a job with fewer results than were paid for', async () => {
    await generate({ n: 2 });
    const { id } = await job();

    await expect(
      world.db.rows('update job set further_media_ids = null where id = $1', [id]),
    ).rejects.toThrow('job_all_results');
  });
});
