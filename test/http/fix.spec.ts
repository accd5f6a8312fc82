import { KeyCaller } from '../support/caller';
import { type Answer, World } from '../support/world';

const HELLO = [{ role: 'user', content: 'hello' }];
const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQImWP4z8AAAAMBAQCc479ZAAAAAElFTkSuQmCC';

/** The sent body, and the right one. */
const LESSONS: readonly (readonly [string, string, object, object])[] = [
  ['chat', 'a number as text', { messages: HELLO, max_tokens: '64' }, { messages: HELLO, max_tokens: 64 }],
  [
    'chat',
    'a number that is no whole one',
    { messages: HELLO, max_tokens: 64.4 },
    { messages: HELLO, max_tokens: 64 },
  ],
  ['chat', 'too much', { messages: HELLO, max_tokens: 9_000 }, { messages: HELLO, max_tokens: 8_192 }],
  ['chat', 'too little', { messages: HELLO, temperature: -1 }, { messages: HELLO, temperature: 0 }],
  ['chat', 'one message instead of a list', { messages: HELLO[0] }, { messages: HELLO }],
  ['chat', 'null', { messages: HELLO, temperature: null }, { messages: HELLO }],
  [
    'chat',
    'a misspelt choice',
    { messages: HELLO, reasoning_effort: 'hihg' },
    { messages: HELLO, reasoning_effort: 'high' },
  ],
  ['chat', 'a choice of others', { messages: HELLO, reasoning_effort: 'xx' }, { messages: HELLO }],
  ['chat', 'a misspelt role', { messages: [{ role: 'users', content: 'hello' }] }, { messages: HELLO }],
  [
    'chat',
    'a misspelt model',
    { messages: HELLO, model: 'lumen-falsh' },
    { messages: HELLO, model: 'lumen-flash' },
  ],
  ['chat', 'the model of others', { messages: HELLO, model: 'gpt-4o' }, { messages: HELLO }],
  [
    'generate',
    'a resolution without its letter',
    { prompt: 'x', duration: 4, resolution: '720' },
    { prompt: 'x', duration: 4, resolution: '720p' },
  ],
  [
    'generate',
    'a ratio that is not offered',
    { prompt: 'x', aspectRatio: '4:3' },
    { prompt: 'x', aspectRatio: '3:2' },
  ],
  [
    'generate',
    'seconds between two steps',
    { prompt: 'x', modelId: 'torch-video', duration: 7 },
    { prompt: 'x', modelId: 'torch-video', duration: 6 },
  ],
  [
    'generate',
    'seconds for an image',
    { prompt: 'x', modelId: 'ember-image', duration: 4 },
    { prompt: 'x', modelId: 'ember-image' },
  ],
  [
    'generate',
    'an image for a model that takes none',
    { prompt: 'x', modelId: 'ember-image', image: DOT },
    { prompt: 'x', image: DOT },
  ],
  [
    'generate',
    'no image for a model that needs one',
    { prompt: 'x', modelId: 'ember-edit' },
    { prompt: 'x' },
  ],
  ['images/generations', 'several at once', { prompt: 'x', n: 9 }, { prompt: 'x', n: 4 }],
  [
    'images/generations',
    'a size of others',
    { prompt: 'x', size: '1024x1025' },
    { prompt: 'x', size: '1024x1024' },
  ],
  [
    'images/generations',
    'a ratio that is not that of the size',
    { prompt: 'x', size: '1024x1024', aspectRatio: '16:9' },
    { prompt: 'x', size: '1024x1024', aspectRatio: '1:1' },
  ],
  ['images/generations', 'a model of videos', { prompt: 'x', model: 'torch-video' }, { prompt: 'x' }],
  ['videos', 'seconds as a number', { prompt: 'x', seconds: 4 }, { prompt: 'x', seconds: '4' }],
  ['videos', 'more seconds than there are', { prompt: 'x', seconds: '100' }, { prompt: 'x', seconds: '8' }],
  ['quote', 'a misspelt model', { modelId: 'ember-imge' }, { modelId: 'ember-image' }],
  ['quote', 'two models', { modelId: 'ember-image', model: 'torch-video' }, { modelId: 'ember-image' }],
];

describe('a refusal that teaches', () => {
  let world: World;
  let key: string;

  const send = (path: string, body: object): Promise<Answer> =>
    world.post(`/v1/agent/${path}`, path === 'quote' ? body : { ...body, dryRun: true }, {
      'x-api-key': key,
    });

  beforeAll(async () => {
    world = await World.start();
    ({ key } = await KeyCaller.register(world, 100_000_000n));
  });
  afterAll(() => world.stop());

  it.each(LESSONS)(
    'of %s with %s holds the body that is right, and it is',
    async (path, _what, wrong, right) => {
      const refused = await send(path, wrong);
      const accepted = await send(path, refused.body.fix);

      expect([400, 404]).toContain(refused.status);
      expect(refused.body.fix).toEqual(path === 'quote' ? right : { ...right, dryRun: true });
      expect([accepted.status, accepted.body.error]).toEqual([200, undefined]);
    },
  );

  it.each([
    ['two things are wrong', 'chat', { messages: HELLO, max_tokens: '64', temperature: 9 }],
    ['nobody can know what was meant', 'chat', {}],
    ['the right model of a quote is anybody’s guess', 'quote', { modelId: 'gpt-4o' }],
    ['the prompt is too long, for its end may matter most', 'generate', { prompt: 'x'.repeat(2_001) }],
    [
      'the body is large, and its sender has it',
      'chat',
      { messages: [{ role: 'user', content: 'x'.repeat(20_000) }], max_tokens: '64' },
    ],
  ])('holds none where %s', async (_why, path, body) => {
    const { status, body: answer } = await send(path, body);

    expect([400, 404]).toContain(status);
    expect(answer.error.message).toMatch(/\.$/);
    expect(answer).not.toHaveProperty('fix');
  });

  it('of the studio holds the right body, too', async () => {
    const studio = (body: unknown) => world.post('/v1/chat/completions', body, { 'x-api-key': key });

    const refused = await studio({ messages: HELLO, max_tokens: 16, temperature: '1' });
    const accepted = await studio(refused.body.fix);

    expect([refused.status, refused.body.fix]).toEqual([
      400,
      { messages: HELLO, max_tokens: 16, temperature: 1 },
    ]);
    expect(accepted.status).toBe(200);
  });

  it.each([
    ['responses', 'reasoning.effort', { input: 'Hello', reasoning: { effort: { toString: null } } }],
    [
      'messages',
      'tool_choice.type',
      { max_tokens: 8, messages: HELLO, tool_choice: { type: { toString: null } } },
    ],
  ])('of %s names %s where an object hides how it becomes text', async (path, param, body) => {
    const { status, body: answer } = await world.post(`/v1/${path}`, body, { 'x-api-key': key });

    expect(status).toBe(400);
    expect(JSON.stringify(answer)).toContain(param);
  });

  it('does not repeat what a caller may have sent by mistake, such as a password', async () => {
    const { body } = await world.post('/v1/account/register', { email: 'a@example.test', password: 5 });

    expect(body).not.toHaveProperty('fix');
  });
});
