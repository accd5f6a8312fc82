import OpenAI from 'openai';

import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

describe('the official openai client, unpatched', () => {
  let world: World;
  let caller: KeyCaller;
  let client: OpenAI;

  beforeAll(async () => {
    world = await World.start();
    const url = await world.listen();
    caller = await KeyCaller.register(world, 100_000_000n);
    client = new OpenAI({ apiKey: caller.key, baseURL: `${url}/v1/agent` });
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('makes an image', async () => {
    const answer = await client.images.generate({ prompt: 'a lamp at night', size: '1024x1024' });

    expect(answer.data?.[0]?.url).toContain('/media/');
  });

  it('gets an image inline', async () => {
    const answer = await client.images.generate({ prompt: 'a lamp at night', response_format: 'b64_json' });

    expect(
      Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('starts a video with its form, and polls it', async () => {
    const started = await client.videos.create({ prompt: 'waves', seconds: '4', size: '1280x720' });
    expect(started).toMatchObject({ object: 'video', seconds: '4', size: '1280x720' });

    await expectEventually(async () => (await client.videos.retrieve(started.id)).status === 'completed');
  });

  it('reads our errors as its own', async () => {
    await expect(client.images.generate({ prompt: 'x', model: 'nothing' })).rejects.toMatchObject({
      status: 400,
      code: 'UNKNOWN_MODEL',
      param: 'model',
    });
  });

  it('lists the models', async () => {
    const compatible = new OpenAI({ apiKey: caller.key, baseURL: client.baseURL.replace('/agent', '') });

    const models = await compatible.models.list();

    expect(models.data.map(({ id }) => id)).toContain('lumen-flash');
  });
});
