import sharp from 'sharp';

import { BlobStore } from '#platform/storage/blob-store';
import { BlobStoreUnavailable } from '#platform/storage/blob-store.errors';
import { WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

describe('making media', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ MEDIA_SYNC_SECONDS: '5' });
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const call = async (path: string, body: object, more: Record<string, string> = {}) => {
    const caller = await new WalletCaller().fund(world, 50_000_000n);
    const signIn = await caller.signIn(world);
    return { caller, answer: await world.post(path, body, { 'sign-in-with-x': signIn, ...more }) };
  };

  const balance = async (caller: WalletCaller): Promise<number> =>
    (await world.get(`/v1/agent/x402/balance/${caller.wallet}`)).body.balanceMicro;

  const pathOf = (url: string): string => new URL(url).pathname;

  it('answers an image at once, as a real PNG in the asked shape', async () => {
    const { answer } = await call('/v1/agent/generate', { prompt: 'a red fox', aspectRatio: '16:9' });
    const media = await world.app.inject({ method: 'GET', url: pathOf(answer.body.url) });
    const { width, height, format } = await sharp(media.rawPayload).metadata();

    expect(answer.body.status).toBe('done');
    expect(answer.headers['x-charge-state']).toBe('charged');
    expect({ width, height, format }).toEqual({ width: 1024, height: 576, format: 'png' });
    expect(media.headers['x-content-type-options']).toBe('nosniff');
    expect(media.rawPayload.toString('latin1')).toContain('"generator":"Lamppost"');
  });

  it('keeps an image paid that could not be read for its answer, and the same call gets it', async () => {
    const caller = await new WalletCaller().fund(world, 50_000_000n);
    const headers = { 'sign-in-with-x': await caller.signIn(world), 'idempotency-key': 'read me again' };
    const send = () =>
      world.post('/v1/agent/images/generations', { prompt: 'a lamp', response_format: 'b64_json' }, headers);
    const read = jest
      .spyOn(world.app.get(BlobStore, { strict: false }), 'get')
      .mockRejectedValue(new BlobStoreUnavailable(new Error('away')));

    const first = await send();
    read.mockRestore();
    await world.db.rows(`update charge set lease_until = now() - interval '1 second' where state = 'held'`);
    await expectEventually(async () => (await send()).status === 200);
    const again = await send();

    expect([first.status, first.headers['x-charge-state']]).toEqual([503, 'held']);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(Buffer.from(again.body.data[0].b64_json, 'base64').toString('latin1', 1, 4)).toBe('PNG');
    expect(await balance(caller)).toBe(50_000_000 - Number(again.headers['x-charge-micro']));
  });

  it.each([
    [undefined, 200, '\x89PNG\r\n\x1a\n'],
    ['bytes=0-7', 206, '\x89PNG\r\n\x1a\n'],
    ['bytes=1-3', 206, 'PNG'],
    ['bytes=-8', 206, 'IEND\xaeB`\x82'],
    ['bytes=0-1,4-5', 200, '\x89PNG\r\n\x1a\n'],
    ['bytes=99999999-', 416, ''],
  ])('gives players the part of a medium that they ask for: %s', async (range, status, bytes) => {
    const { answer } = await call('/v1/agent/generate', { prompt: 'a part' });

    const part = await world.app.inject({
      method: 'GET',
      url: pathOf(answer.body.url),
      headers: range === undefined ? {} : { range },
    });

    expect(part.statusCode).toBe(status);
    expect(part.rawPayload.toString('latin1', 0, Math.max(3, bytes.length))).toBe(bytes);
    expect(part.headers['content-range'] !== undefined).toBe(status !== 200);
    expect(part.headers['content-length']).toBe(String(part.rawPayload.length));
  });

  it('answers a video with a job, which becomes a playable file', async () => {
    const { answer } = await call('/v1/agent/generate', { prompt: 'waves', modelId: 'torch-video' });
    expect(answer.body).toMatchObject({
      status: 'running',
      poll: expect.stringContaining('/v1/agent/jobs/job_'),
    });

    await expectEventually(async () => (await world.get(answer.body.poll)).body.status === 'done');

    const job = await world.get(answer.body.poll);
    const file = await world.app.inject({ method: 'GET', url: pathOf(job.body.url) });
    expect(job.body).toMatchObject({ kind: 'video', progress: 100, chargeState: 'charged' });
    expect(file.rawPayload.toString('latin1', 4, 8)).toBe('ftyp');
  });

  it('charges nothing when the provider refuses', async () => {
    const { caller, answer } = await call('/v1/agent/generate', { prompt: '[[reject]]' });

    expect(answer.status).toBe(502);
    expect(await balance(caller)).toBe(50_000_000);
  });

  it('charges nothing when an image fails inside the window', async () => {
    const { caller, answer } = await call('/v1/agent/generate', { prompt: '[[fail]]' });

    expect(answer.status).toBe(502);
    expect(answer.headers['x-charge-state']).toBe('released');
    expect(await balance(caller)).toBe(50_000_000);
  });

  it('gives the money back once when a video fails after it was charged', async () => {
    const { caller, answer } = await call('/v1/agent/videos', { prompt: '[[fail]]' });
    expect(answer.body).toMatchObject({ object: 'video', status: 'queued' });
    expect(await balance(caller)).toBeLessThan(50_000_000);

    await expectEventually(async () => (await balance(caller)) === 50_000_000);

    const video = await world.get(`/v1/agent/videos/${answer.body.id}`);
    const content = await world.get(`/v1/agent/videos/${answer.body.id}/content`);
    expect(video.body).toMatchObject({ status: 'failed', error: { code: 'JOB_FAILED' } });
    expect(content.body.error.code).toBe('JOB_FAILED');
  });

  it('answers running when the caller does not want to wait', async () => {
    const { answer } = await call('/v1/agent/generate', { prompt: '[[delay 2s]]' }, { prefer: 'wait=0' });

    expect(answer.body.status).toBe('running');
    await expectEventually(async () => (await world.get(answer.body.poll)).body.status === 'done');
  });

  it('speaks the shape of OpenAI for images', async () => {
    const url = await call('/v1/agent/images/generations', { prompt: 'a lamp', size: '1792x1024' });
    const inline = await call('/v1/agent/images/generations', {
      prompt: 'a lamp',
      response_format: 'b64_json',
    });

    expect(url.answer.body.data[0].url).toContain('/media/');
    expect(Buffer.from(inline.answer.body.data[0].b64_json, 'base64').toString('latin1', 1, 4)).toBe('PNG');
  });

  it.each([
    [{ prompt: 'x', modelId: 'nothing' }, 'UNKNOWN_MODEL', 'modelId'],
    [{ prompt: 'x', modelId: 'ember-edit' }, 'INVALID_REQUEST', 'image'],
    [{ prompt: 'x', modelId: 'torch-video', duration: 7 }, 'INVALID_REQUEST', 'duration'],
    [{ prompt: 'x', aspectRatio: '7:3' }, 'INVALID_REQUEST', 'aspectRatio'],
    [{ prompt: 'x', referenceIds: ['ref_1'] }, 'INVALID_REQUEST', 'referenceIds'],
    [{ prompt: 'x', image: 'data:image/png;base64,aGVsbG8=' }, 'INVALID_REQUEST', 'image'],
    [{ prompt: 'x', image: 'https://127.0.0.1/x.png' }, 'MEDIA_UNREACHABLE', 'image'],
    [{ prompt: 'naked child' }, 'POLICY_BLOCKED', 'prompt'],
  ])('refuses %j with the field, and charges nothing', async (body, code, param) => {
    const { caller, answer } = await call('/v1/agent/generate', body);

    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code, param });
    expect(await balance(caller)).toBe(50_000_000);
  });
});
