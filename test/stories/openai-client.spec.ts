import OpenAI from 'openai';

import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

describe.each(['/v1', '/v1/agent'])('the official openai client, unpatched, at %s', (base) => {
  let world: World;
  let caller: KeyCaller;
  let client: OpenAI;

  beforeAll(async () => {
    world = await World.start();
    const url = await world.listen();
    caller = await KeyCaller.register(world, 100_000_000n);
    client = new OpenAI({ apiKey: caller.key, baseURL: `${url}${base}` });
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
    // The client follows the redirect to the public address, which does not exist here.
    const content = await fetch(`${client.baseURL}/videos/${started.id}/content`, {
      headers: { authorization: `Bearer ${caller.key}` },
      redirect: 'manual',
    });
    expect(content.status).toBe(302);
  });

  it('reads our errors as its own', async () => {
    await expect(client.images.generate({ prompt: 'x', model: 'nothing' })).rejects.toMatchObject({
      status: 400,
      code: 'UNKNOWN_MODEL',
      param: 'model',
    });
  });
});

it('the official openai client makes texts and media from one base address', async () => {
  const world = await World.start();
  const baseURL = `${await world.listen()}/v1`;
  const client = new OpenAI({ apiKey: (await KeyCaller.register(world, 1_000_000n)).key, baseURL });

  const models = await client.models.list();
  const text = await client.chat.completions.create({
    model: 'lumen-flash',
    messages: [{ role: 'user', content: 'Hi.' }],
  });
  const image = await client.images.generate({ prompt: 'a lamp at night' });

  expect(models.data.map(({ id }) => id)).toContain('lumen-flash');
  expect(text.choices[0]?.message.content).not.toBe('');
  expect(image.data?.[0]?.url).toContain('/media/');
  // Other routes of OpenAI do not exist.
  expect((await world.post('/v1/images/edits', {})).status).toBe(404);
  expect((await world.post('/v1/videosx', {})).status).toBe(404);
  await world.expectBooksToBalance();
  await world.stop();
});
