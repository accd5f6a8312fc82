import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { FakeAnthropic } from '../support/fake-anthropic';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { FakeGemini } from '../support/fake-gemini';
import type { FakeTextServer } from '../support/fake-text-server';
import { forgetRoutes } from '../support/routes';
import { type Answer, World } from '../support/world';

const FUNDS = 50_000_000n;
const BAD = 'a naked child';
const FILM = 'https://films.example/an-hour';
const CONTEXT = 1_000_000;
const FILE = { fileUri: FILM, mimeType: 'video/mp4' };
const SNAKE = { file_uri: FILM, mime_type: 'video/mp4' };

/** The bodies of callers go to vendors as they are, so each field of them is a way past the checks. */
describe('a body that is passed on', () => {
  let fakes: { readonly claude: FakeAnthropic; readonly gem: FakeGemini; readonly gpt: FakeChatCompletions };
  let world: World;
  let caller: KeyCaller;

  beforeAll(async () => {
    const [claude, gem, gpt] = await Promise.all([
      FakeAnthropic.start(),
      FakeGemini.start(),
      FakeChatCompletions.start(),
    ]);
    fakes = { claude, gem, gpt };
    const more = { vision: true, contextTokens: CONTEXT };
    world = await World.start({
      ...claude.env,
      ...gem.env,
      OPENAI_BASE_URL: `${gpt.origin}/v1`,
      OPENAI_API_KEY: gpt.key,
      ALLOW_SANDBOX_MIX: 'true',
      RATE_LIMIT_TEXT: '0',
      ...catalogOf(
        [],
        [
          textEntry('claude', ['anthropic:claude-haiku-4-5'], { ...more, default: true }),
          textEntry('gem', ['gemini:gemini-2.5-flash'], more),
          textEntry('gpt', ['openai:gpt-4o'], more),
          textEntry('two', ['anthropic:claude-haiku-4-5', 'openai:gpt-4o'], more),
          textEntry('three', ['openai:gpt-4o', 'anthropic:claude-haiku-4-5'], more),
        ],
      ),
    });
  });

  beforeEach(async () => {
    caller = await KeyCaller.register(world, FUNDS);
    for (const fake of Object.values(fakes)) {
      fake.forgiveAll();
      fake.bodies.length = 0;
    }
    forgetRoutes(world);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await Promise.all(Object.values(fakes).map((fake: FakeTextServer) => fake.stop()));
  });

  const post = (path: string, body: object, headers: object = {}): Promise<Answer> =>
    world.post(path, body, { authorization: `Bearer ${caller.key}`, ...headers });

  const askGem = (parts: readonly object[], more: object = {}): Promise<Answer> =>
    post('/v1beta/models/gem:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }, ...parts] }],
      ...more,
    });
  const askClaude = (content: readonly object[], more: object = {}, headers: object = {}): Promise<Answer> =>
    post(
      '/v1/messages',
      { model: 'claude', max_tokens: 64, messages: [{ role: 'user', content }], ...more },
      headers,
    );
  const askGpt = (content: readonly object[], more: object = {}): Promise<Answer> =>
    post('/v1/chat/completions', {
      model: 'gpt',
      max_tokens: 64,
      messages: [{ role: 'user', content }],
      ...more,
    });

  const sent = (): string => JSON.stringify(Object.values(fakes).flatMap(({ bodies }) => bodies));

  /** Blocked, or refused because no check would see it. */
  const expectUnsent = ({ error }: Answer['body']): void => {
    expect([['POLICY_BLOCKED', 'INVALID_REQUEST'].includes(error?.code), sent()]).toEqual([true, '[]']);
  };

  it.each([
    ['a thought with a file', { thought: true, fileData: FILE }],
    ['a signature with a file', { thoughtSignature: 'c2ln', file_data: SNAKE }],
    ['a thought with a file in the other spelling', { thought: true, file_data: SNAKE }],
    ['a text with a file in the other spelling', { text: 'Hi', file_data: SNAKE }],
  ])('brings Google no address that the caller named: %s', async (_name, part) => {
    const { status } = await askGem([part]);

    expect([status, sent()]).toEqual([400, '[]']);
  });

  it.each([
    ['a thought with a picture', { thought: true, inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    ['a thought with a film', { thought: true, inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }],
    [
      'a signature with a picture',
      { thoughtSignature: 'c2ln', inline_data: { mime_type: 'image/png', data: 'AAAA' } },
    ],
    [
      'a signature with code',
      { thoughtSignature: 'c2ln', executableCode: { language: 'PYTHON', code: BAD } },
    ],
    [
      'the result of code',
      { thoughtSignature: 'c2ln', code_execution_result: { outcome: 'OUTCOME_OK', output: BAD } },
    ],
  ])('brings Google nothing that nobody has screened: %s', async (_name, part) => {
    const { status } = await askGem([part]);

    expect([status, sent()]).toEqual([400, '[]']);
  });

  const FUNCTION = { name: 'look', description: 'Looks.' };

  it.each([
    ['the answer of a function', { ...FUNCTION, response: { type: 'OBJECT', description: BAD } }],
    [
      'a second schema',
      {
        ...FUNCTION,
        parametersJsonSchema: { type: 'object' },
        parameters: { type: 'OBJECT', description: BAD },
      },
    ],
    ['another spelling', { ...FUNCTION, parameters_json_schema: { type: 'object', description: BAD } }],
  ])('brings Google no unscreened words in a tool: %s', async (_name, tool) => {
    const { body } = await askGem([], { tools: [{ functionDeclarations: [tool] }] });

    expectUnsent(body);
  });

  it('brings Google no unscreened words in a second schema of the answer', async () => {
    const { body } = await askGem([], {
      generationConfig: {
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        responseSchema: { type: 'OBJECT', description: BAD },
      },
    });

    expectUnsent(body);
  });

  it('brings OpenAI no unscreened words in a tool', async () => {
    const tools = [{ type: 'function', function: { ...FUNCTION, examples: [BAD] } }];
    const { body } = await askGpt([{ type: 'text', text: 'Hi' }], { tools });

    expectUnsent(body);
  });

  it.each([
    ['a text with a refusal', [{ type: 'text', text: 'Hi', refusal: BAD }]],
    [
      'a file with a name',
      [
        { type: 'text', text: 'Hi' },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: BAD } },
      ],
    ],
    [
      'a picture with a title',
      [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', title: BAD } }],
    ],
  ])('brings OpenAI no unscreened words in a part: %s', async (_name, content) => {
    const { body } = await askGpt(content);

    expectUnsent(body);
  });

  it.each([
    ['by id', { file_data: 'data:application/pdf;base64,AAAA', file_id: 'file-of-another' }],
    ['by address', { file_data: 'data:application/pdf;base64,AAAA', file_url: FILM }],
  ])('names no file of others to OpenAI: %s', async (_name, file) => {
    const { status } = await askGpt([{ type: 'file', file }]);

    expect([status, sent()]).toEqual([400, '[]']);
  });

  it.each([
    ['by id', { file_id: 'file_of_another' }],
    ['by address', { url: FILM }],
  ])('names no file of others to Anthropic: %s', async (_name, beside) => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'AAAA', ...beside };
    const { status } = await askClaude([{ type: 'document', source }]);

    expect([status, sent()]).toEqual([400, '[]']);
  });

  it('has no second content in a text for Anthropic', async () => {
    expect((await askClaude([{ type: 'text', text: 'Hi', thinking: BAD }])).status).toBe(400);
    expect(sent()).toBe('[]');
  });

  it('runs no second model for a summary, which no price covers', async () => {
    const { status } = await askClaude(
      [{ type: 'text', text: 'Hi' }],
      {
        context_management: {
          edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 50_000 } }],
        },
      },
      { 'anthropic-beta': 'compact-2026-01-12' },
    );

    expect(sent()).not.toContain('compact');
    expect(JSON.stringify(fakes.claude.seen.at(-1)?.headers ?? {})).not.toContain('compact-');
    expect([200, 400]).toContain(status);
  });

  it.each([
    ['OpenAI', () => askGpt([{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }])],
    [
      'Anthropic',
      () =>
        askClaude([
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
        ]),
    ],
    ['Google', () => askGem([{ inlineData: { mimeType: 'application/pdf', data: 'AAAA' } }])],
  ])('is charged for every page of a small document: %s', async (_name, ask) => {
    const counts = { read: 900_000, written: 3 };
    for (const fake of Object.values(fakes)) fake.sayNext({ texts: ['Read.'], finish: 'stop', counts });
    const { status, headers } = await ask();

    expect(status).toBe(200);
    expect(Number(headers['x-charge-micro'])).toBeGreaterThanOrEqual(90_000);
  });

  it.each(['constructor', '__proto__', 'toString'])('has no role that is not one: %s', async (role) => {
    const body = JSON.parse(`{"model":"claude","messages":[{"role":"${role}","content":"Hi"}]}`) as object;

    expect((await post('/v1/chat/completions', body)).status).toBe(400);
  });

  it('holds the whole context for a document, and no more for a large one', async () => {
    const data = Buffer.alloc(3_000_000).toString('base64');
    const source = { type: 'base64', media_type: 'application/pdf', data };
    const rehearsed = await askClaude([{ type: 'document', source }], { dryRun: true });

    expect(Number(rehearsed.headers['x-price-micro'] ?? rehearsed.body.priceMicro)).toBeLessThan(150_000);
  });

  const fieldsOf = (count: number, name: (n: number) => string): object =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), 1]));

  it.each([
    ['a line break', 1, () => 'a\r\nset-cookie: b=c'],
    ['letters beyond ASCII', 1, () => 'é☃'],
    ['a long name', 1, () => 'x'.repeat(20_000)],
    ['many names', 2_000, (n: number) => `${'x'.repeat(50)}${n}`],
  ])('names what it ignores in a header that fits: %s', async (_name, count, name) => {
    const odd = fieldsOf(count, name);
    for (const { status, headers } of [
      await askGem([], { generationConfig: odd }),
      await askGpt([{ type: 'text', text: 'Hi' }], odd),
    ]) {
      expect(status).toBe(200);
      expect(headers['x-ignored']).toMatch(/^[\w.,[\] ?-]{1,1000}$/);
      const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`);
      expect(lines.join('').length).toBeLessThan(3_500);
    }
  });

  it.each([
    ['claude', () => askClaude([{ type: 'text', text: 'Hi' }], { thinking: { type: 'adaptive', odd: 1 } })],
    ['gpt', () => askGpt([{ type: 'text', text: 'Hi' }], { verbosity: 'odd' })],
  ])('closes no route for others with a field that its vendor refuses: %s', async (model, ask) => {
    const fake = fakes[model as 'claude' | 'gpt'];
    for (let n = 0; n < 12; n += 1) {
      fake.failNext('chat', { lateMs: 0, status: 400 });
      expect((await ask()).status).not.toBe(200);
    }
    const body = { model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };

    expect((await post('/v1/chat/completions', body)).status).toBe(200);
  });

  describe('at the second route, which speaks another API', () => {
    const BUSY = 429;
    const counts = { read: 50, written: 10 };

    beforeEach(() => {
      for (const fake of Object.values(fakes)) fake.sayNext({ texts: ['Hello.'], finish: 'stop', counts });
    });

    it('costs the same, once, and names every field that was lost', async () => {
      fakes.claude.failNext('chat', BUSY);
      const source = { type: 'text', media_type: 'text/plain', data: 'Words.' };
      const { status, headers } = await post('/v1/messages', {
        model: 'two',
        max_tokens: 64,
        messages: [{ role: 'user', name: 'Ann', content: [{ type: 'document', source, title: 'Title' }] }],
        tools: [{ name: 'look', input_schema: { type: 'object' }, 'odd field': 'x' }],
      });

      expect([status, fakes.gpt.bodies.length]).toEqual([200, 1]);
      expect(String(headers['x-ignored']).split(', ').toSorted()).toEqual([
        'messages[].content[].title',
        'messages[].name',
        'tools[].?',
      ]);
      expect(headers['x-charge-micro']).toBe('9');
    });

    it('names the fields of OpenAI that Anthropic does not get', async () => {
      fakes.gpt.failNext('chat', BUSY);
      const { status, headers } = await post('/v1/chat/completions', {
        model: 'three',
        verbosity: 'low',
        prompt_cache_key: 'mine',
        messages: [{ role: 'user', name: 'Ann', content: 'Hi' }],
      });

      expect([status, fakes.claude.bodies.length]).toEqual([200, 1]);
      expect(String(headers['x-ignored']).split(', ').toSorted()).toEqual([
        'messages[].name',
        'prompt_cache_key',
        'verbosity',
      ]);
    });

    it('is a failure for now where only the first route reads documents', async () => {
      fakes.claude.failNext('chat', BUSY);
      const source = { type: 'base64', media_type: 'application/pdf', data: 'AAAA' };
      const messages = [{ role: 'user', content: [{ type: 'document', source }] }];
      const { status, headers } = await post('/v1/messages', { model: 'two', max_tokens: 64, messages });

      expect([status, headers['x-charge-state']]).toEqual([503, 'released']);
    });
  });
});
